package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.util.concurrent.atomic.AtomicReference;
import okhttp3.OkHttpClient;
import okhttp3.RequestBody;
import okhttp3.ResponseBody;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import retrofit2.Call;
import retrofit2.Response;
import retrofit2.Retrofit;
import retrofit2.http.Body;
import retrofit2.http.GET;
import retrofit2.http.POST;
import retrofit2.http.Streaming;
import retrofit2.http.Url;

/** Retrofit's synchronous calls, which it makes with the client or call factory it is given. */
@ParameterizedClass
@EnumSource(
    value = Wire.class,
    names = {"HTTP_1_1", "H2C"})
@Timeout(30)
class RetrofitTest {

  interface Loom {
    @GET
    Call<ResponseBody> get(@Url String url);

    @GET
    @Streaming
    Call<ResponseBody> stream(@Url String url);

    @POST
    Call<ResponseBody> post(@Url String url, @Body RequestBody body);
  }

  private final AtomicReference<String> ranOn = new AtomicReference<>();
  private final Wire wire;
  private FaultServer server;

  RetrofitTest(Wire wire) {
    this.wire = wire;
  }

  @BeforeEach
  void start() {
    server = FaultServer.start(wire);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private OkHttpClient client() {
    return BlockingOkHttpClient.wrap(
        new OkHttpClient.Builder()
            .protocols(KitClient.protocols(wire))
            .addInterceptor(
                chain -> {
                  ranOn.set(Thread.currentThread().getName());
                  return chain.proceed(chain.request());
                })
            .build());
  }

  private Retrofit.Builder retrofit() {
    return new Retrofit.Builder().baseUrl("http://localhost:" + server.port() + "/");
  }

  private void assertRunsOnItsCaller(Loom loom) throws Exception {
    Caller caller =
        new Caller(
            () -> {
              String url = server.uri(Script.ok().body(100)).toString();
              assertEquals(100, loom.get(url).execute().body().bytes().length);
              String long1 = server.uri(Script.ok().body(1_000_000)).toString();
              assertEquals(1_000_000, loom.stream(long1).execute().body().bytes().length);
              RequestBody body = RequestBody.create(new byte[1000], null);
              String missing = server.uri(Script.answer(404).body(10)).toString();
              Response<ResponseBody> response = loom.post(missing, body).execute();
              assertEquals(10, response.errorBody().bytes().length);
              return response.code();
            });
    assertEquals(404, caller.result());
    String thread = String.valueOf(ranOn.get());
    assertEquals("caller", thread);
  }

  @Test
  void asItsClient() throws Exception {
    assertRunsOnItsCaller(retrofit().client(client()).build().create(Loom.class));
  }

  @Test
  void asItsCallFactory() throws Exception {
    assertRunsOnItsCaller(retrofit().callFactory(client()).build().create(Loom.class));
  }

  @Test
  void anInterruptEndsACall() throws Exception {
    Loom loom = retrofit().client(client()).build().create(Loom.class);
    URI uri = server.uri(Script.ok().fault(Script.Fault.STALL));
    Caller caller = new Caller(() -> loom.get(uri.toString()).execute());
    ExecuteTest.await(() -> server.seen(uri).size() == 1);
    caller.thread().interrupt();
    assertInstanceOf(InterruptedIOException.class, caller.failure());
  }

  @Test
  void aCancelEndsACall() throws Exception {
    Loom loom = retrofit().callFactory(client()).build().create(Loom.class);
    URI uri = server.uri(Script.ok().fault(Script.Fault.STALL));
    Call<ResponseBody> call = loom.get(uri.toString());
    Caller caller = new Caller(call::execute);
    ExecuteTest.await(() -> server.seen(uri).size() == 1);
    call.cancel();
    assertInstanceOf(IOException.class, caller.failure());
    assertTrue(call.isCanceled());
  }
}
