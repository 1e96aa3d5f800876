package io.heddle.okhttp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.EventListener;
import okhttp3.Handshake;
import okhttp3.HttpUrl;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/** Remembers the names of events. */
final class Events extends EventListener {

  private final List<String> all = Collections.synchronizedList(new ArrayList<>());

  /** A name once, where several addresses are tried. */
  List<String> withoutRepeats() {
    return List.copyOf(all).stream().distinct().toList();
  }

  boolean has(String event) {
    return all.contains(event);
  }

  int count(String event) {
    return Collections.frequency(List.copyOf(all), event);
  }

  String last() {
    return all.get(all.size() - 1);
  }

  @Override
  public void callStart(Call call) {
    all.add("callStart");
  }

  @Override
  public void proxySelectStart(Call call, HttpUrl url) {
    all.add("proxySelectStart");
  }

  @Override
  public void proxySelectEnd(Call call, HttpUrl url, List<Proxy> proxies) {
    all.add("proxySelectEnd");
  }

  @Override
  public void dnsStart(Call call, String domainName) {
    all.add("dnsStart");
  }

  @Override
  public void dnsEnd(Call call, String domainName, List<InetAddress> addresses) {
    all.add("dnsEnd");
  }

  @Override
  public void connectStart(Call call, InetSocketAddress address, Proxy proxy) {
    all.add("connectStart");
  }

  @Override
  public void secureConnectStart(Call call) {
    all.add("secureConnectStart");
  }

  @Override
  public void secureConnectEnd(Call call, @Nullable Handshake handshake) {
    all.add("secureConnectEnd");
  }

  @Override
  public void connectEnd(
      Call call, InetSocketAddress address, Proxy proxy, @Nullable Protocol protocol) {
    all.add("connectEnd");
  }

  @Override
  public void connectionAcquired(Call call, Connection connection) {
    all.add("connectionAcquired");
  }

  @Override
  public void connectionReleased(Call call, Connection connection) {
    all.add("connectionReleased");
  }

  @Override
  public void requestHeadersStart(Call call) {
    all.add("requestHeadersStart");
  }

  @Override
  public void requestHeadersEnd(Call call, Request request) {
    all.add("requestHeadersEnd");
  }

  @Override
  public void requestFailed(Call call, IOException failure) {
    all.add("requestFailed");
  }

  @Override
  public void responseHeadersStart(Call call) {
    all.add("responseHeadersStart");
  }

  @Override
  public void responseHeadersEnd(Call call, Response response) {
    all.add("responseHeadersEnd");
  }

  @Override
  public void responseBodyStart(Call call) {
    all.add("responseBodyStart");
  }

  @Override
  public void responseBodyEnd(Call call, long byteCount) {
    all.add("responseBodyEnd");
  }

  @Override
  public void responseFailed(Call call, IOException failure) {
    all.add("responseFailed");
  }

  @Override
  public void callEnd(Call call) {
    all.add("callEnd");
  }

  @Override
  public void callFailed(Call call, IOException failure) {
    all.add("callFailed");
  }

  @Override
  public void canceled(Call call) {
    all.add("canceled");
  }
}
