/** Checks a signature, and shows which part of a request differs from what was signed. */
import { checkSignature, SignatureCheckInput } from '../../../../src/signature-check/check.ts'
import type { Diagnosis } from '../../../../src/signature-check/diagnose.ts'
import { findWebhook } from '../../../../src/webhooks/endpoint.ts'
import { createApp } from '../../../http/create-app.ts'
import type { Http } from '../../../http/env.ts'
import { type Errors, fieldsOf, readForm, submit, type Values } from '../../form.ts'
import { Badge } from '../../parts/badge.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { TextAreaField, TextField } from '../../parts/field.tsx'
import { SiteForm } from '../../parts/form.tsx'
import { PageHeading } from '../../parts/heading.tsx'
import { ErrorSummary, Notice } from '../../parts/notice.tsx'
import { SiteLink } from '../../parts/site-link.tsx'
import { NoWebhook } from '../webhook.tsx'
import {
  describeBody,
  describeResult,
  describeSignature,
  describeTimestamp,
  type Finding,
} from './findings.ts'

const TITLE = 'Check a signature'

export const signatureCheck = createApp()

signatureCheck.get('/signature-check', async (c) => {
  const endpoint = await findWebhook(c.get('ctx'), c.get('site'))
  return endpoint ? checkPage(c, {}) : noWebhookPage(c)
})

signatureCheck.post('/signature-check', async (c) => {
  const values = await readForm(c)
  const input = {
    timestamp: values.timestamp ?? '',
    // Browsers send each line break of a form as CRLF.
    body: (values.body ?? '').replaceAll('\r\n', '\n'),
    signature: values.signature ?? '',
    id: values.id ?? '',
  }
  const { result, errors } = await submit(SignatureCheckInput, input, (parts) =>
    checkSignature(c.get('ctx'), c.get('site'), parts),
  )
  if (!errors) return checkPage(c, { ...values, ...input }, { diagnosis: result })
  c.status(400)
  return checkPage(c, values, { errors })
})

function noWebhookPage(c: Http) {
  return c.render(
    <>
      <PageHeading title={TITLE} lead="There is no secret to check it with yet." />
      <NoWebhook />
    </>,
    { tab: 'Integrations', title: TITLE },
  )
}

type Checked = { errors?: Errors; diagnosis?: Diagnosis }

function checkPage(c: Http, values: Values, { errors = {}, diagnosis }: Checked = {}) {
  const field = fieldsOf(values, errors)
  return c.render(
    <>
      <p class="back">
        <SiteLink to="/integrations#verify">Integrations</SiteLink>
      </p>
      <PageHeading
        title={TITLE}
        lead="Paste what your receiver got, or what it computed itself, to see which part differs. Nothing is stored."
      />
      <ErrorSummary errors={errors} done="checked" />
      {diagnosis && <Findings diagnosis={diagnosis} timestamp={values.timestamp ?? ''} />}
      <SiteForm action="/integrations/signature-check" submit="Check">
        <TextField label="Timestamp" {...field('timestamp')} hint="X-Service-Timestamp" required />
        <TextAreaField
          label="Body"
          {...field('body')}
          rows={8}
          hint="The raw body as it arrived, before any parsing."
          required
        />
        <TextField
          label="Signature"
          {...field('signature')}
          hint="X-Service-Signature, or webhook-signature, which begins with v1,"
          required
        />
        <TextField label="Webhook ID" {...field('id')} hint="webhook-id, only for a webhook-signature." />
      </SiteForm>
    </>,
    { tab: 'Integrations', title: TITLE },
  )
}

function Findings({ diagnosis, timestamp }: { diagnosis: Diagnosis; timestamp: string }) {
  const { tone, text } = describeResult(diagnosis)
  return (
    <>
      <Notice tone={tone}>{text}</Notice>
      <Facts boxed>
        <FindingFact label="Timestamp" finding={describeTimestamp(diagnosis, timestamp)} />
        <FindingFact label="Body" finding={describeBody(diagnosis)} />
        <FindingFact label="Signature" finding={describeSignature(diagnosis)} />
        {diagnosis.sent && (
          <Fact label="Delivery">
            <SiteLink to={`/integrations/deliveries/${diagnosis.sent.deliveryId}`}>
              {tone === 'danger' ? 'The closest delivery' : 'What was sent'}
            </SiteLink>
          </Fact>
        )}
      </Facts>
    </>
  )
}

function FindingFact({ label, finding: { tone, name, text } }: { label: string; finding: Finding }) {
  return (
    <Fact label={label}>
      <Badge tone={tone} text={name} /> <span class="below">{text}</span>
    </Fact>
  )
}
