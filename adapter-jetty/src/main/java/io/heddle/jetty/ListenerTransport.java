package io.heddle.jetty;

import org.eclipse.jetty.io.Transport;

/**
 * Marks destinations whose connections were made to run users' listeners: an equal destination
 * without the mark has connections that run nothing which may block.
 */
final class ListenerTransport extends Transport.Wrapper {

  ListenerTransport(Transport wrapped) {
    super(wrapped);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ListenerTransport that && getWrapped().equals(that.getWrapped());
  }

  @Override
  public int hashCode() {
    return 31 * getWrapped().hashCode() + 1;
  }

  @Override
  public String toString() {
    return "listeners@" + getWrapped();
  }
}
