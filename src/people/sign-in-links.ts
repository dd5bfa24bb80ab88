/** One-time sign-in links for the console, stored like tokens. */

import { and, eq, isNull, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { requireRole } from '../core/actor.ts'
import { EmailAddress } from '../core/config.ts'
import { AppError } from '../core/errors.ts'
import { sha256Hex } from '../core/ids.ts'
import { wireTime } from '../core/time.ts'
import { responseSchema } from '../core/zod.ts'
import { operators, operatorTokens } from '../db/schema.ts'
import { writeAs } from '../db/write.ts'
import { sendEmail } from './email.ts'
import {
  holderColumns,
  type Identity,
  insertToken,
  isTokenLive,
  isTokenOfOperator,
  requireOwn,
  revoke,
  TOKEN_DAYS,
} from './operator-tokens.ts'
import { generateSessionId, SESSION_SECONDS } from './sessions.ts'

export const LINK_HOURS = 24

export const LinkInput = z.strictObject({ email: z.optional(EmailAddress) })

export const SignInLink = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      id: z.uuid(),
      lastFour: z.string(),
      createdAt: z.iso.datetime(),
      expiresAt: z.iso
        .datetime()
        .check(
          z.describe(
            'When the link expires. After its use, the latest time at which tokens created in its sessions expire',
          ),
        ),
      usedAt: z
        .nullable(z.iso.datetime())
        .check(z.describe('When the link was used. A used link no longer works')),
      revokedAt: z.nullable(z.iso.datetime()),
      makerId: z
        .nullable(z.uuid())
        .check(z.describe('The token that created the link. Revoking that token revokes the link')),
      sentTo: z.nullable(z.string()).check(z.describe('The address that the link was emailed to')),
    })
    .register(z.globalRegistry, { id: 'SignInLink' }),
)

export const canMail = ({ config, email }: Context) => Boolean(email && config.ALERT_EMAIL_FROM)

/**
 * With `email`, sends the link instead of returning it, and revokes it if that fails. Pass an `id` to make retries safe.
 *
 * @param consoleUrl the public URL: `https://content.example.com/console`
 * @throws AppError operator_not_found; token_exists; operator_refused; invalid_body; role_required
 */
export async function createLink(
  ctx: Context,
  { id: operatorId, name }: { id: string; name: string },
  { email, id, consoleUrl }: z.infer<typeof LinkInput> & { id?: string | undefined; consoleUrl: string },
) {
  if (email) requireRole(ctx, 'admin')
  else requireOwn(ctx, operatorId)
  if (email && !canMail(ctx)) {
    throw new AppError('invalid_body', {
      path: 'email',
      message: 'must be left out, because email is not set up',
    })
  }
  const { token, row } = await insertToken(ctx, {
    id,
    operatorId,
    kind: 'link',
    expiresAt: sql`now() + make_interval(hours => ${LINK_HOURS})`,
    ...(email && { sentTo: email }),
  })
  const url = `${(ctx.config.CONSOLE_URL ?? consoleUrl).replace(/\/$/, '')}/sign-in/links/${token}`
  if (!email) return { ...toLink(row), url }
  const problem = await mail(ctx, { to: email, name, url, expiresAt: row.expiresAt })
  if (problem === null) return { ...toLink(row), url: null }
  await revoke(ctx, operatorId, row.id, 'link')
  throw new AppError('invalid_body', { path: 'email', message: `could not be sent (${problem})` })
}

function mail(
  ctx: Context,
  { to, name, url, expiresAt }: { to: string; name: string; url: string; expiresAt: Date },
): Promise<string | null> {
  const text = [
    `This link signs in ${name.replaceAll(/\s+/g, ' ')} to the content console at ${new URL(url).host}, once, until ${wireTime(expiresAt).slice(0, 16).replace('T', ' ')} UTC:`,
    url,
    'Anyone who has the link can use it, so do not share it.',
  ].join('\n\n')
  const from = ctx.config.ALERT_EMAIL_FROM!
  return sendEmail(ctx, { from, to: [to], subject: 'Sign in to the content console', text })
}

/** Also ends its sessions and their tokens. @throws AppError token_not_found */
export async function revokeLink(ctx: Context, operatorId: string, linkId: string) {
  return toLink(await revoke(ctx, operatorId, linkId, 'link'))
}

/** Null for a used, revoked, expired or unknown link. */
export async function findByLink({ db }: Context, link: string): Promise<Identity | null> {
  if (!isTokenOfOperator(link, 'link')) return null
  const [found] = await db
    .select(holderColumns)
    .from(operatorTokens)
    .innerJoin(operators, eq(operators.id, operatorTokens.operatorId))
    .where(and(eq(operatorTokens.tokenHash, await sha256Hex(link)), isUnused))
  return found ?? null
}

const isUnused = and(eq(operatorTokens.kind, 'link'), isNull(operatorTokens.usedAt), isTokenLive)

/** @returns the session's id, or null if the link was used in the meantime */
export async function useLink(
  ctx: Context,
  { token }: Identity,
  browser: string | null,
): Promise<string | null> {
  const session = generateSessionId()
  // A concurrent use waits for the row and finds it used.
  const use = ctx.db.execute(sql`
    with used as (
      update operator_tokens t
      set used_at = now(), expires_at = least(
        now() + make_interval(days => ${TOKEN_DAYS}),
        (select maker.expires_at from operator_tokens maker where maker.id = t.maker_id))
      where id = ${token!.id} and kind = 'link' and used_at is null and revoked_at is null and expires_at > now()
      returning id)
    insert into console_sessions (id_hash, token_id, browser, expires_at)
    select ${await sha256Hex(session)}, id, ${browser}, now() + make_interval(secs => ${SESSION_SECONDS}) from used`)
  const [{ rowCount }] = await writeAs(ctx, [use])
  return rowCount === 1 ? session : null
}

export function toLink(row: typeof operatorTokens.$inferSelect): z.infer<typeof SignInLink> {
  return {
    id: row.id,
    lastFour: row.lastFour,
    createdAt: wireTime(row.createdAt),
    expiresAt: wireTime(row.expiresAt),
    usedAt: wireTime(row.usedAt),
    revokedAt: wireTime(row.revokedAt),
    makerId: row.parentTokenId,
    sentTo: row.sentTo,
  }
}
