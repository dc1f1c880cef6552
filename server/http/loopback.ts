/** Whether a host name or address is this machine itself, out of reach for other machines. */
export function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host)
}
