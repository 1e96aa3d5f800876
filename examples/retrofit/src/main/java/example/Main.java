package example;

import io.heddle.okhttp.BlockingOkHttpClient;
import java.io.IOException;
import java.time.Duration;
import okhttp3.OkHttpClient;
import okhttp3.ResponseBody;
import retrofit2.Call;
import retrofit2.Response;
import retrofit2.Retrofit;
import retrofit2.http.GET;

/** Retrofit takes the client as it is. */
public final class Main {

  interface Pages {
    @GET("/")
    Call<ResponseBody> first();
  }

  public static void main(String[] args) throws Exception {
    OkHttpClient stock = new OkHttpClient.Builder().callTimeout(Duration.ofSeconds(5)).build();
    try (BlockingOkHttpClient client = BlockingOkHttpClient.wrap(stock)) {
      Pages pages =
          new Retrofit.Builder().baseUrl(args[0]).client(client).build().create(Pages.class);
      Thread.ofVirtual().start(() -> print(pages)).join();
    }
  }

  private static void print(Pages pages) {
    try {
      Response<ResponseBody> response = pages.first().execute();
      System.out.println(response.isSuccessful() ? response.body().string() : response);
    } catch (IOException e) {
      System.out.println("failed: " + e);
    }
  }
}
