import type { SendEmail } from '@cloudflare/workers-types'

const EMAIL_TIMEOUT_MS = 8_000

/** Never throws. @returns an error code of https://developers.cloudflare.com/email-service/api/send-emails/workers-api/, or null */
export async function sendEmail(
  { email }: { email: Pick<SendEmail, 'send'> | null },
  mail: { from: string; to: string[]; subject: string; text: string },
): Promise<string | null> {
  if (!email) return 'binding_missing'
  const late = Promise.withResolvers<string>()
  const timer = setTimeout(() => late.resolve('timeout'), EMAIL_TIMEOUT_MS)
  const sent = email.send(mail).then(
    () => null,
    (error) => codeOf(error),
  )
  return Promise.race([sent, late.promise]).finally(() => clearTimeout(timer))
}

/** Only the code, because the message may contain the email. */
function codeOf(error: unknown): string {
  const code = String((error as { code?: unknown } | null)?.code)
  return /^E_[A-Z_]{1,60}$/.test(code) ? code : 'refused'
}
