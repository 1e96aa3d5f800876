/**
 * Calls to servers that people run: nginx, Apache httpd, HAProxy, Node, Caddy and Go's own, and
 * through squid and a SOCKS proxy, each as its package installs it, with settings that are hard on
 * a client. How many calls fail, stock and with Heddle.
 */
@NullMarked
package io.heddle.bench.servers;

import org.jspecify.annotations.NullMarked;
