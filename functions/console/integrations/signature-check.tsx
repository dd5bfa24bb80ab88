/** Which part of what a receiver got is not as it was signed. */
import { Hono } from 'hono'
import { checkSignature, SignatureCheckInput } from '../../../src/signature-check/check.ts'
import type { Diagnosis } from '../../../src/signature-check/diagnose.ts'
import { findWebhook } from '../../../src/webhooks/endpoint.ts'
import type { Env, Http } from '../../http/env.ts'
import { type Errors, readForm, submit, type Values } from '../form.ts'
import { sitePage } from '../layout.tsx'
import { Badge } from '../parts/badge.tsx'
import { Fact } from '../parts/fact.tsx'
import { TextAreaField, TextField } from '../parts/field.tsx'
import { PageHeading } from '../parts/heading.tsx'
import { Notice, Refusal } from '../parts/notice.tsx'
import { pathIn } from '../site.ts'
import {
  describeBody,
  describeSignature,
  describeTimestamp,
  describeWhole,
  type Finding,
} from './findings.ts'
import { NoWebhook } from './webhook.tsx'

const CHECK = '/integrations/signature-check'

export const signatureCheck = new Hono<Env>()

signatureCheck.get('/signature-check', async (c) => {
  const endpoint = await findWebhook(c.get('ctx'), c.get('site'))
  return endpoint ? checkPage(c, {}, {}, null) : withoutWebhook(c)
})

signatureCheck.post('/signature-check', async (c) => {
  const values = await readForm(c)
  const meant = {
    timestamp: values.timestamp ?? '',
    // A browser sends each line break of a form as CRLF.
    body: (values.body ?? '').replaceAll('\r\n', '\n'),
    signature: values.signature ?? '',
    id: values.id ?? '',
  }
  const outcome = await submit(SignatureCheckInput, meant, (input) =>
    checkSignature(c.get('ctx'), c.get('site'), input),
  )
  return outcome.errors
    ? checkPage(c, values, outcome.errors, null)
    : checkPage(c, { ...values, ...meant }, {}, outcome.done)
})

function withoutWebhook(c: Http) {
  return sitePage(
    c,
    { tab: 'Integrations', title: 'Check a signature' },
    <>
      <PageHeading title="Check a signature" lead="There is no secret to check it with yet." />
      <NoWebhook c={c} />
    </>,
  )
}

function checkPage(c: Http, values: Values, errors: Errors, diagnosis: Diagnosis | null) {
  const refused = Object.keys(errors).length > 0
  const field = (name: string) => ({ name, value: values[name], error: errors[name] })
  return sitePage(
    c,
    { tab: 'Integrations', title: 'Check a signature', status: refused ? 400 : 200 },
    <>
      <p class="back">
        <a href={`${pathIn(c, '/integrations')}#verify`}>Integrations</a>
      </p>
      <PageHeading
        title="Check a signature"
        lead="Paste what your receiver got, or made itself. You see which part differs. Nothing of it is kept."
      />
      {refused ? (
        <Refusal errors={errors} done="checked" />
      ) : (
        diagnosis && <Findings c={c} {...{ values, diagnosis }} />
      )}
      <form method="post" action={pathIn(c, CHECK)} class="fields">
        <TextField label="Timestamp" {...field('timestamp')} hint="X-Service-Timestamp" required />
        <TextAreaField
          label="Body"
          {...field('body')}
          rows={8}
          hint="The raw body, as it arrived and before any parsing."
          required
        />
        <TextField
          label="Signature"
          {...field('signature')}
          hint="X-Service-Signature, or webhook-signature, which begins with v1,"
          required
        />
        <TextField label="Webhook ID" {...field('id')} hint="webhook-id: for a webhook-signature only." />
        <div class="actions">
          <button type="submit" class="button primary">
            Check
          </button>
        </div>
      </form>
    </>,
  )
}

function Findings({ c, values, diagnosis }: { c: Http; values: Values; diagnosis: Diagnosis }) {
  const { tone, words } = describeWhole(diagnosis)
  return (
    <>
      <Notice tone={tone}>{words}</Notice>
      <dl class="copyables">
        <FindingFact label="Timestamp" finding={describeTimestamp(diagnosis, values.timestamp ?? '')} />
        <FindingFact label="Body" finding={describeBody(diagnosis)} />
        <FindingFact label="Signature" finding={describeSignature(diagnosis)} />
        {diagnosis.sent && (
          <Fact label="Delivery">
            <a href={pathIn(c, `/integrations/deliveries/${diagnosis.sent.deliveryId}`)}>
              {tone === 'danger' ? 'What was sent, the nearest to this' : 'What was sent'}
            </a>
          </Fact>
        )}
      </dl>
    </>
  )
}

function FindingFact({ label, finding: { tone, name, words } }: { label: string; finding: Finding }) {
  return (
    <Fact label={label}>
      <Badge tone={tone} text={name} /> <span class="below">{words}</span>
    </Fact>
  )
}
