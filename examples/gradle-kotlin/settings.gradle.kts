rootProject.name = "heddle-example-gradle-kotlin"
