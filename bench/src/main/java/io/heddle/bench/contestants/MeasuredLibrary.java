package io.heddle.bench.contestants;

import java.util.Iterator;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the name of a library that has figures of its own. */
public final class MeasuredLibrary implements ITypeConverter<Library>, Iterable<String> {

  @Override
  public Library convert(String name) {
    return Library.MEASURED.stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new TypeConversionException(name + " is none of " + Library.MEASURED));
  }

  @Override
  public Iterator<String> iterator() {
    return Library.MEASURED.stream().map(Library::name).iterator();
  }
}
