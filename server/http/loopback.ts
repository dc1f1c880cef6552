/** Whether a host name or address is this machine itself, so that nobody else can reach it. */
export function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host)
}
