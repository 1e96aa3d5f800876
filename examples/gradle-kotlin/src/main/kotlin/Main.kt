package example

import io.heddle.jdk.BlockingJdkHttpClient
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import java.time.Duration

/** The JDK's client with a deadline that covers the body. */
fun main(args: Array<String>) {
    val stock = HttpClient.newHttpClient()
    BlockingJdkHttpClient.builder(stock).timeout(Duration.ofSeconds(5)).build().use { client ->
        val request = HttpRequest.newBuilder(URI.create(args[0])).build()
        val caller = Thread.startVirtualThread {
            println(client.send(request, BodyHandlers.ofString()).body())
        }
        caller.join()
    }
}
