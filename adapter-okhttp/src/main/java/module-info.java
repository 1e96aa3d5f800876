/** An OkHttpClient whose blocking calls run on their callers, but for what would harm others. */
module io.heddle.okhttp {
  requires transitive io.heddle.core;
  requires transitive okhttp3;
  requires static org.jspecify;

  exports io.heddle.okhttp;
}
