package io.heddle.bench.load;

import io.heddle.bench.contestants.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * When the target server answers.
 *
 * <pre>{@code
 * /              after ?delay, or once released if ?hold=1
 * /hold          from now on those are held;  answers 0
 * /held          answers how many are held
 * /release       answers those that are held; from now on none is held
 * /b             the service that may turn slow: after as long as it takes now
 * /turn?delay=N  service B takes N ms from now on
 * }</pre>
 */
@SuppressWarnings("FutureReturnValueIgnored") // an answer that cannot be sent is a client that left
final class TargetControl {

  private record Held(ChannelHandlerContext context, Runnable answer) {}

  private final Queue<Held> held = new ConcurrentLinkedQueue<>();
  private final AtomicInteger heldCount = new AtomicInteger();
  private final Map<Wire, LongAdder> requests =
      Map.of(Wire.HTTP_1, new LongAdder(), Wire.HTTP_2, new LongAdder());
  private final LongAdder bodyBytes = new LongAdder();
  private volatile boolean isHolding;
  private volatile long bMillis;

  /** Counts a request. */
  void arrived(Wire wire) {
    Objects.requireNonNull(requests.get(wire)).increment();
  }

  /** Counts a piece of a request's body. */
  void received(int bytes) {
    bodyBytes.add(bytes);
  }

  /** How many bytes of requests' bodies have arrived. */
  long bodyBytes() {
    return bodyBytes.sum();
  }

  /** How many requests have arrived by this wire. */
  long requests(Wire wire) {
    return Objects.requireNonNull(requests.get(wire)).sum();
  }

  /** The text that a wish for control is answered with, after its effect; null for no such wish. */
  @Nullable ByteBuf control(Wish wish) {
    return switch (wish.path()) {
      case "/hold" -> {
        isHolding = true;
        yield text(0);
      }
      case "/held" -> text(heldCount.get());
      case "/release" -> {
        isHolding = false;
        yield text(release());
      }
      case "/turn" -> {
        bMillis = wish.delayMillis();
        yield text(bMillis);
      }
      default -> null;
    };
  }

  /** Runs the answer when its time has come, on the event loop of this context. */
  void answerInTime(ChannelHandlerContext context, Wish wish, Runnable answer) {
    if (wish.isHeld() && isHolding) {
      held.add(new Held(context, answer));
      heldCount.incrementAndGet();
      if (!isHolding) { // released meanwhile
        release();
      }
      return;
    }
    long millis = wish.path().equals("/b") ? bMillis : wish.delayMillis();
    if (millis == 0) {
      answer.run();
    } else {
      context.executor().schedule(answer, millis, TimeUnit.MILLISECONDS);
    }
  }

  private int release() {
    int count = 0;
    for (Held next = held.poll(); next != null; next = held.poll()) {
      next.context().executor().execute(next.answer());
      heldCount.decrementAndGet();
      count++;
    }
    return count;
  }

  private static ByteBuf text(long number) {
    return Unpooled.copiedBuffer(Long.toString(number), StandardCharsets.US_ASCII);
  }
}
