package io.heddle.okhttp;

import io.heddle.Exchange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import okhttp3.Connection;
import okhttp3.Protocol;

/**
 * The connections to one host: who opens the next one, and who waits for it or for one that there
 * is.
 *
 * <pre>{@code
 * QUEUED ──▶ LOOKING ──found one in the pool──────▶ HOLDING ──▶ gone
 *              │ ▲ └──▶ OPENING ──has one─────────────▲
 *              │ │         └──failed──▶ LOOKING
 *              └─┘ waits, and looks again
 * }</pre>
 *
 * <p>Callers are QUEUED, and only where connections are limited: then no more than {@value
 * #LOOKING} calls look for one, so that those which wait hold no worker. A call that finds none in
 * OkHttp's pool comes to {@link #beforeOpening}, and there
 *
 * <ul>
 *   <li>waits for another that opens one, if that may turn out to be of HTTP/2, which they share;
 *   <li>waits for one to be free, where there are as many as may be;
 *   <li>else opens one.
 * </ul>
 *
 * <p>What a server says about the number of its streams comes after the connection is there. So a
 * new one of HTTP/2 is shared once it has brought an answer, which comes later still, or {@value
 * #SETTLING_MILLIS} ms have gone by.
 */
final class ConnectionGate {

  /** How many calls may look for a connection at a time, where connections are limited. */
  private static final int LOOKING = 16;

  private static final int SETTLING_MILLIS = 300;

  /** OkHttp heeds what a server says on a thread of its own, perhaps after the answer. */
  private static final int HEEDING_MILLIS = 30;

  /** How long, in all, a call waits for others that open a connection, before it opens one. */
  static final int PATIENCE_MILLIS = 1000;

  /** Where a call is; NONE before it comes and once it is gone. */
  enum State {
    NONE,
    LOOKING,
    OPENING,
    HOLDING
  }

  private final int max;
  private final boolean multiplexes;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final Set<Connection> open = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<Exchange<Boolean>> queued = new LinkedHashSet<>();
  private final Set<Exchange<Boolean>> waiting = new LinkedHashSet<>();
  private int looking;
  private int opening;
  private int holding;
  private int expecting;
  private boolean settling;
  private boolean speaksHttp1;

  // Written under the lock. `changes` counts what lets one who waits look again. `held` is whether
  // nobody is to look: what is in the pool is not there yet, or settling.
  private volatile long changes;
  private volatile boolean held;

  /**
   * A gate of no connections.
   *
   * @param max how many there may be; {@link Integer#MAX_VALUE} for any number
   * @param multiplexes whether they may be of HTTP/2
   */
  ConnectionGate(int max, boolean multiplexes) {
    this.max = max;
    this.multiplexes = multiplexes;
  }

  boolean isLimited() {
    return max < Integer.MAX_VALUE;
  }

  // ---- caller -------------------------------------------------------------------------------

  /**
   * Asks for the right to look for a connection. Does not wait: the exchange does. Who has it must
   * {@link #leave}.
   */
  Exchange<Boolean> ask() {
    Exchange<Boolean> turn = new Exchange<>(late -> leave(State.LOOKING));
    lock.lock();
    try {
      queued.add(turn);
    } finally {
      lock.unlock();
    }
    turn.onAbandon(() -> forget(queued, turn));
    wake(List.of());
    return turn;
  }

  // ---- worker -------------------------------------------------------------------------------

  /** A call comes that has not asked. */
  void enter() {
    if (isLimited()) {
      lock.lock();
      try {
        looking++;
      } finally {
        lock.unlock();
      }
    }
  }

  /** A call is about to look into the pool; waits while it would find none, or one that settles. */
  void beforeLooking(CallTicket ticket) {
    ticket.seen(changes);
    if (held && !ticket.isImpatient()) {
      Exchange<Boolean> turn = null;
      lock.lock();
      try {
        if (held) {
          turn = newTurn();
        }
      } finally {
        lock.unlock();
      }
      if (turn != null) {
        ticket.await(turn, ticket.patience());
      }
      ticket.seen(changes);
    }
  }

  /**
   * A call has found no connection in the pool. If it returns, the call looks once more, and opens
   * one if there still is none.
   *
   * @throws CallTicket.Again if the call is to look from the start
   * @throws CallTicket.Refused if it has waited in vain
   */
  void beforeOpening(CallTicket ticket) {
    if (ticket.state() == State.HOLDING) { // and goes on to its next request
      leave(State.HOLDING);
      ticket.state(State.LOOKING);
      enter();
    }
    while (true) {
      boolean room;
      Exchange<Boolean> turn;
      lock.lock();
      try {
        room = hasRoom();
        if (room && (ticket.isImpatient() || !isOneOnItsWay())) {
          move(ticket, State.OPENING);
          changed();
          return;
        }
        if (ticket.mayLookAgain() && ticket.seen() != changes) {
          throw new CallTicket.Again();
        }
        turn = newTurn();
      } finally {
        lock.unlock();
      }
      boolean woken = ticket.await(turn, room ? ticket.patience() : ticket.lease());
      if (woken && ticket.mayLookAgain()) {
        throw new CallTicket.Again();
      }
      if (woken && mayExpect(ticket)) {
        return;
      }
    }
  }

  /** A call has a connection. */
  void connected(CallTicket ticket, Connection connection) {
    boolean opened = ticket.state() == State.OPENING;
    if (!opened && !isLimited() && !ticket.isExpecting()) {
      return;
    }
    boolean shared = connection.protocol() != Protocol.HTTP_1_1;
    boolean settles = false;
    List<Exchange<Boolean>> next = new ArrayList<>();
    lock.lock();
    try {
      expectNoMore(ticket);
      move(ticket, State.HOLDING);
      if (open.add(connection) && opened) {
        speaksHttp1 = !shared;
        settles = shared && !settling;
        settling |= shared;
      }
      if (opened) {
        changed();
      }
      if (opened && !settling) {
        takeAll(next);
      } else if (!settling) {
        takeOne(next); // there may be room for more than one
      }
    } finally {
      lock.unlock();
    }
    wake(next);
    if (settles) {
      settleIn(SETTLING_MILLIS);
    }
  }

  /** An answer has come on this connection. */
  void answered(Connection connection) {
    if (held) {
      if (ConnectionGates.knowsStreams(connection)) {
        settled();
      } else {
        settleIn(HEEDING_MILLIS);
      }
    }
  }

  private void settleIn(int millis) {
    CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, Runnable::run)
        .execute(this::settled);
  }

  private void settled() {
    List<Exchange<Boolean>> next = new ArrayList<>();
    lock.lock();
    try {
      if (settling) {
        settling = false;
        changed();
        takeAll(next);
      }
    } finally {
      lock.unlock();
    }
    wake(next);
  }

  /** A call may have failed to open a connection, and look for another. */
  void failed(CallTicket ticket) {
    if (ticket.state() != State.OPENING && !ticket.isExpecting()) {
      return;
    }
    List<Exchange<Boolean>> next = new ArrayList<>();
    lock.lock();
    try {
      expectNoMore(ticket);
      if (ticket.state() == State.OPENING) {
        move(ticket, State.LOOKING);
        changed();
        takeAll(next); // one of whom tries again
      }
    } finally {
      lock.unlock();
    }
    wake(next);
  }

  /** A call goes from where it is. */
  void leave(State state) {
    if (!isLimited() && state != State.OPENING) {
      return;
    }
    List<Exchange<Boolean>> next = new ArrayList<>();
    lock.lock();
    try {
      count(state, -1);
      changed();
      takeOne(next);
    } finally {
      lock.unlock();
    }
    wake(next);
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** Whether nothing is known here that would be missed. */
  boolean isIdle() {
    lock.lock();
    try {
      open.removeIf(ConnectionGates::isRetired);
      return looking + opening + holding == 0 && queued.isEmpty() && open.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Under the lock. Where no other call has one, or may get one, nobody would wake who waits. */
  private boolean hasRoom() {
    open.removeIf(ConnectionGates::isRetired);
    int others = looking - 1 - waiting.size();
    return open.size() + opening < max || opening + holding + others <= 0;
  }

  /** Under the lock. */
  private boolean isOneOnItsWay() {
    return multiplexes && !speaksHttp1 && (opening > 0 || settling);
  }

  /** Whether there is a stream for a call that looks once more, and for no other. */
  private boolean mayExpect(CallTicket ticket) {
    lock.lock();
    try {
      open.removeIf(ConnectionGates::isRetired);
      long streams = open.stream().mapToLong(ConnectionGates::streamsLeft).sum();
      if (streams <= expecting) {
        return false;
      }
      expecting++;
      ticket.isExpecting(true);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Under the lock. */
  private void expectNoMore(CallTicket ticket) {
    if (ticket.isExpecting()) {
      ticket.isExpecting(false);
      expecting--;
    }
  }

  /** Under the lock. */
  private Exchange<Boolean> newTurn() {
    Exchange<Boolean> turn = new Exchange<>();
    waiting.add(turn);
    turn.onAbandon(() -> forget(waiting, turn));
    return turn;
  }

  private void forget(Set<Exchange<Boolean>> turns, Exchange<Boolean> turn) {
    lock.lock();
    try {
      turns.remove(turn);
    } finally {
      lock.unlock();
    }
  }

  /** Under the lock. */
  private void move(CallTicket ticket, State to) {
    count(ticket.state(), -1);
    count(to, 1);
    ticket.state(to);
  }

  /** Under the lock. Without a limit only those who open one are counted. */
  private void count(State state, int more) {
    if (state == State.OPENING) {
      opening += more;
    } else if (isLimited()) {
      looking += state == State.LOOKING ? more : 0;
      holding += state == State.HOLDING ? more : 0;
    }
  }

  /** Under the lock. */
  private void changed() {
    long before = changes;
    changes = before + 1;
    held = settling || (open.isEmpty() && isOneOnItsWay());
  }

  /** Under the lock. */
  private void takeOne(List<Exchange<Boolean>> next) {
    Iterator<Exchange<Boolean>> first = waiting.iterator();
    if (first.hasNext()) {
      next.add(first.next());
      first.remove();
    }
  }

  /** Under the lock. */
  private void takeAll(List<Exchange<Boolean>> next) {
    next.addAll(waiting);
    waiting.clear();
  }

  /** Wakes these, and the callers that may look now. */
  private void wake(List<Exchange<Boolean>> workers) {
    for (Exchange<Boolean> each : workers) {
      each.complete(true); // wakes a worker in CallTicket.await
    }
    if (!isLimited()) {
      return;
    }
    List<Exchange<Boolean>> callers = new ArrayList<>(1);
    lock.lock();
    try {
      Iterator<Exchange<Boolean>> queue = queued.iterator();
      while (looking < LOOKING && queue.hasNext()) {
        callers.add(queue.next());
        queue.remove();
        looking++;
      }
    } finally {
      lock.unlock();
    }
    for (Exchange<Boolean> each : callers) {
      each.complete(true); // wakes a caller in BlockingCall
    }
  }

  @Override
  public String toString() {
    lock.lock();
    try {
      return "ConnectionGate["
          + open.size()
          + " open, "
          + opening
          + " to come, "
          + holding
          + " calls, "
          + (queued.size() + waiting.size())
          + " waiting]";
    } finally {
      lock.unlock();
    }
  }
}
