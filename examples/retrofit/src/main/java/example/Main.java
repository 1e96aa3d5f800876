package example;

import io.heddle.okhttp.BlockingOkHttpClient;
import java.io.IOException;
import java.time.Duration;
import okhttp3.OkHttpClient;
import okhttp3.ResponseBody;
import retrofit2.Call;
import retrofit2.Retrofit;
import retrofit2.http.GET;

/** Retrofit takes the client as it is. */
public final class Main {

  interface Greetings {
    @GET("hello")
    Call<ResponseBody> hello();
  }

  public static void main(String[] args) throws Exception {
    OkHttpClient stock = new OkHttpClient.Builder().callTimeout(Duration.ofSeconds(5)).build();
    try (BlockingOkHttpClient client = BlockingOkHttpClient.wrap(stock)) {
      Greetings greetings =
          new Retrofit.Builder()
              .baseUrl(args[0])
              .client(client)
              .build()
              .create(Greetings.class);
      Thread.ofVirtual().start(() -> print(greetings)).join();
    }
  }

  private static void print(Greetings greetings) {
    try {
      System.out.println(greetings.hello().execute().body().string());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
