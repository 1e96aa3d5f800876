package io.heddle.jersey;

import jakarta.annotation.Priority;
import jakarta.ws.rs.ConstrainedTo;
import jakarta.ws.rs.RuntimeType;
import jakarta.ws.rs.client.ClientRequestContext;
import jakarta.ws.rs.client.ClientRequestFilter;
import jakarta.ws.rs.core.FeatureContext;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.glassfish.jersey.client.ClientConfig;
import org.glassfish.jersey.internal.spi.ForcedAutoDiscoverable;
import org.jspecify.annotations.Nullable;

/**
 * Gives a multipart entity its boundary before it is written, for clients with Heddle's connector
 * only. Jersey discovers it.
 *
 * <p>Jersey's {@code MultiPartWriter} keeps a boundary that it finds. Its own one, and {@code
 * MIME-Version}, it would set as it writes: by then Jersey's connector for Apache has taken the
 * header fields.
 */
@ConstrainedTo(RuntimeType.CLIENT)
@Priority(Integer.MAX_VALUE) // after those of the user's, which may set the entity and its type
public final class Boundaries implements ForcedAutoDiscoverable, ClientRequestFilter {

  private static final String BOUNDARY = "boundary";
  private static final String MIME_VERSION = "MIME-Version";

  /** Called by Jersey's service loader. */
  public Boundaries() {}

  @Override
  public void configure(FeatureContext context) {
    context.register(this);
  }

  @Override
  public void filter(ClientRequestContext request) {
    if (!request.hasEntity() || !isOurs(request)) {
      return;
    }
    MediaType type = request.getMediaType();
    if (lacksBoundary(type)) {
      Map<String, String> parameters = new HashMap<>(type.getParameters());
      parameters.put(BOUNDARY, UUID.randomUUID().toString());
      MultivaluedMap<String, Object> fields = request.getHeaders();
      fields.putSingle(
          HttpHeaders.CONTENT_TYPE, new MediaType(type.getType(), type.getSubtype(), parameters));
      if (!fields.containsKey(MIME_VERSION)) {
        fields.putSingle(MIME_VERSION, "1.0");
      }
    }
  }

  private static boolean isOurs(ClientRequestContext request) {
    return request.getConfiguration() instanceof ClientConfig config
        && config.getConnectorProvider() instanceof HeddleConnectorProvider;
  }

  private static boolean lacksBoundary(@Nullable MediaType type) {
    return type != null
        && type.getType().equalsIgnoreCase("multipart")
        && !type.getParameters().containsKey(BOUNDARY);
  }
}
