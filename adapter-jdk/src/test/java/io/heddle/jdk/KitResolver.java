package io.heddle.jdk;

import io.heddle.conformance.NameLookup;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Asks the kit for the names under {@code heddle.test}. The JDK's client has no resolver of its
 * own, so this is the JVM's, found by ServiceLoader; the rules of a suite run one after the other.
 */
public final class KitResolver extends InetAddressResolverProvider {

  private static final String DOMAIN = ".heddle.test";

  private static volatile @Nullable NameLookup lookup;

  /** Asks this from now on; null for the JVM's own. */
  static void use(@Nullable NameLookup its) {
    lookup = its;
  }

  @Override
  public String name() {
    return "the kit's";
  }

  @Override
  public InetAddressResolver get(Configuration configuration) {
    InetAddressResolver builtin = configuration.builtinResolver();
    return new InetAddressResolver() {
      @Override
      public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
          throws UnknownHostException {
        NameLookup its = lookup;
        if (its == null || !host.endsWith(DOMAIN)) {
          return builtin.lookupByName(host, policy);
        }
        if (host.equals("whole" + DOMAIN)) {
          // The rules tear each hook that such a call comes by. This one is the target of a
          // redirect: the client looks it up itself, and drops what the JVM's resolver throws.
          return Stream.of(InetAddress.getLoopbackAddress());
        }
        Stream<InetAddress> found = its.lookup(host).stream();
        if (host.equals("slow" + DOMAIN)) {
          // Whoever asked has left. The JVM must not remember an answer, or nobody would wait next
          // time; it remembers exceptions too.
          throw new AssertionError("a look-up of a call that is over");
        }
        return found;
      }

      @Override
      public String lookupByAddress(byte[] address) throws UnknownHostException {
        return builtin.lookupByAddress(address);
      }
    };
  }
}
