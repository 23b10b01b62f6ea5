@main enum Empty { static func main() {} }
