export async function hmacSha256(key: Uint8Array, prefix: string, body: Uint8Array): Promise<ArrayBuffer> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ])
  const head = new TextEncoder().encode(prefix)
  const message = new Uint8Array(head.length + body.length)
  message.set(head)
  message.set(body, head.length)
  return crypto.subtle.sign('HMAC', imported, message)
}
