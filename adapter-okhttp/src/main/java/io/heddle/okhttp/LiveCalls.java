package io.heddle.okhttp;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import okhttp3.Call;
import org.jspecify.annotations.Nullable;

/**
 * The calls that have begun and are not over, by identity. It does not keep them: OkHttp finds a
 * response that was dropped unclosed, and its connection, by the call that nobody holds any more.
 */
final class LiveCalls {

  private final Map<Object, Entry> calls = new ConcurrentHashMap<>();
  private final ReferenceQueue<LiveCall> dropped = new ReferenceQueue<>();

  /**
   * Adds a call, until it is removed or nobody holds it.
   *
   * @param live is held by the call, as its listener
   */
  void add(Call call, LiveCall live) {
    for (Reference<?> next = dropped.poll(); next != null; next = dropped.poll()) {
      calls.remove(next);
    }
    Entry entry = new Entry(call, live, dropped);
    calls.put(entry, entry);
  }

  void remove(Call call) {
    calls.remove(new Identity(call));
  }

  /** Null if it is none of these. */
  @Nullable LiveCall get(Call call) {
    Entry entry = calls.get(new Identity(call));
    return entry == null ? null : entry.get();
  }

  /** Those of now. */
  List<LiveCall> all() {
    return calls.values().stream().map(Reference::get).filter(Objects::nonNull).toList();
  }

  int size() {
    return calls.size();
  }

  /**
   * A call, as long as somebody holds it: then its listener is held too. Its own equal alone; it is
   * looked for by an {@link Identity}.
   */
  private static final class Entry extends WeakReference<LiveCall> {
    private final int hash;

    Entry(Call call, LiveCall live, ReferenceQueue<LiveCall> queue) {
      super(live, queue);
      this.hash = System.identityHashCode(call);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  /** What an entry is found by. */
  private record Identity(Call call) {
    @Override
    public int hashCode() {
      return System.identityHashCode(call);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      LiveCall live = other instanceof Entry entry ? entry.get() : null;
      return live != null && live.isOf(call);
    }
  }
}
