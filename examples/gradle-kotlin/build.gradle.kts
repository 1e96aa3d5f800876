plugins {
    kotlin("jvm") version "2.3.21"
    application
}

repositories {
    mavenCentral()
    mavenLocal() // until there is a release
}

dependencies {
    implementation(platform("io.heddle:heddle-bom:0.1.0-SNAPSHOT"))
    implementation("io.heddle:heddle-jdk")
}

kotlin {
    jvmToolchain(21)
}

application {
    mainClass = "example.MainKt"
}
