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

  private final Map<Key, Reference<LiveCall>> calls = new ConcurrentHashMap<>();
  private final ReferenceQueue<Call> dropped = new ReferenceQueue<>();

  /**
   * Adds a call, until it is removed or nobody holds it. Those that were dropped since the last one
   * was added leave their places.
   *
   * @param live is held by the call, as its listener
   */
  void add(Call call, LiveCall live) {
    for (Reference<?> next = dropped.poll(); next != null; next = dropped.poll()) {
      Key key = (Key) next;
      if (calls.remove(key) != null) {
        key.places.leaveAll();
      }
    }
    calls.put(new Key(call, live.places(), dropped), new WeakReference<>(live));
  }

  void remove(Call call) {
    calls.remove(new Key(call));
  }

  /** Null if it is none of these. */
  @Nullable LiveCall get(Call call) {
    Reference<LiveCall> live = calls.get(new Key(call));
    return live == null ? null : live.get();
  }

  /** Those of now. */
  List<LiveCall> all() {
    return calls.values().stream().map(Reference::get).filter(Objects::nonNull).toList();
  }

  int size() {
    return calls.size();
  }

  /** A call, as long as somebody holds it. */
  private static final class Key extends WeakReference<Call> {
    private static final Places NONE = new Places();

    private final int hash;
    private final Places places;

    /** To look for a call. */
    Key(Call call) {
      this(call, NONE, null);
    }

    Key(Call call, Places places, @Nullable ReferenceQueue<Call> queue) {
      super(call, queue);
      this.hash = System.identityHashCode(call);
      this.places = places;
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      Call call = get();
      return other == this || (call != null && other instanceof Key key && key.refersTo(call));
    }
  }
}
