/** Checks a signature, and shows which part of a request differs from the signed one. */

import type { Child } from 'hono/jsx'
import { UUID } from '../../../../src/core/ids.ts'
import { getWebhookAndDelivery } from '../../../../src/webhooks/overview.ts'
import { firstDifference } from '../../../../src/webhooks/signature-check/body.ts'
import {
  type CheckedSignature,
  checkSignature,
  SignatureCheckInput,
} from '../../../../src/webhooks/signature-check/check.ts'
import { createApp, type Http } from '../../../http/env.ts'
import { type Errors, fieldsOf, readForm, submit, type Values } from '../../forms/form.ts'
import { itemPath } from '../../parent-list.ts'
import { Badge } from '../../parts/badge.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { TextAreaField, TextField } from '../../parts/fields/field.tsx'
import { Form } from '../../parts/fields/form.tsx'
import { ErrorSummary, Notice, TabbedHeading } from '../../parts/page.tsx'
import { SiteLink } from '../../parts/site-link.tsx'
import { readSnippets, Snippets } from '../snippets.tsx'
import { NoWebhook } from '../webhook.tsx'
import { BodyDifference } from './difference.tsx'
import { BODIES, describeResult, describeSignature, describeTimestamp, type Finding } from './findings.ts'

const TITLE = 'Check a signature'

export const signatureCheck = createApp()

signatureCheck.get('/signature-check', async (c) => {
  const id = c.req.query('delivery') ?? ''
  const { ctx, site } = c.var
  const { hasWebhook, delivery } = await getWebhookAndDelivery(ctx, site, UUID.test(id) ? id : null)
  return hasWebhook ? checkPage(c, delivery?.request ? partsOf(delivery.request) : {}) : noWebhookPage(c)
})

/** Prefills the form with the request that was sent. */
function partsOf({ headers, body }: { headers: Record<string, string>; body: string }): Values {
  return {
    timestamp: headers['X-Service-Timestamp'] ?? '',
    signature: headers['X-Service-Signature'] ?? '',
    id: headers['webhook-id'] ?? '',
    body,
  }
}

signatureCheck.post('/signature-check', async (c) => {
  const values = await readForm(c)
  const { timestamp = '', signature = '', id = '', body = '' } = values
  // Browsers send each line break of a form as CRLF.
  const input = { timestamp, signature, id, body: body.replaceAll('\r\n', '\n') }
  const { result, errors } = await submit(SignatureCheckInput, input, (parts) =>
    checkSignature(c.get('ctx'), c.get('site'), parts),
  )
  if (!errors) return checkPage(c, { ...values, ...input }, { diagnosis: result })
  c.status(400)
  return checkPage(c, values, { errors })
})

async function noWebhookPage(c: Http) {
  const snippets = await readSnippets(c)
  return c.render(
    <>
      <TabbedHeading title="Integrations" current={TITLE} />
      <NoWebhook />
      <Snippets snippets={snippets} />
    </>,
    { tab: 'Integrations', title: TITLE },
  )
}

type Checked = { errors?: Errors; diagnosis?: CheckedSignature }

async function checkPage(c: Http, values: Values, { errors = {}, diagnosis }: Checked = {}) {
  const field = fieldsOf(values, errors)
  const snippets = await readSnippets(c)
  return c.render(
    <>
      <TabbedHeading title="Integrations" current={TITLE} />
      <p class="muted">Paste a request to see which part differs from the signed one. Nothing is stored.</p>
      <ErrorSummary errors={errors} done="checked" />
      <div class="split">
        <Form needs="viewer" action="/integrations/signature-check#result" submit="Check">
          <TextField
            label="Signature"
            {...field('signature')}
            hint={
              <>
                The header <code>X-Service-Signature</code> or <code>webhook-signature</code>.
              </>
            }
            required
          />
          <TextField
            label="Timestamp"
            {...field('timestamp')}
            hint={
              <>
                The header <code>X-Service-Timestamp</code>, in seconds.
              </>
            }
            required
          />
          <TextField
            label="Event ID"
            {...field('id')}
            hint={
              <>
                The header <code>webhook-id</code>. Only <code>webhook-signature</code> needs it.
              </>
            }
          />
          <TextAreaField
            label="Body"
            {...field('body')}
            rows={8}
            hint="Exactly as it arrived, before parsing."
            required
          />
        </Form>
        <div>
          {diagnosis && <Findings diagnosis={diagnosis} values={values} />}
          <Snippets snippets={snippets} />
        </div>
      </div>
    </>,
    { tab: 'Integrations', title: TITLE },
  )
}

function Findings({ diagnosis, values }: { diagnosis: CheckedSignature; values: Values }) {
  const { tone, text } = describeResult(diagnosis)
  const { body, sent } = diagnosis
  const difference = sent && body !== 'right' ? firstDifference(sent.body, values.body ?? '') : null
  return (
    <section id="result" aria-label="Result">
      <Notice tone={tone}>{text}</Notice>
      <Facts boxed>
        <FindingFact label="Timestamp" finding={describeTimestamp(diagnosis, values.timestamp ?? '')} />
        <FindingFact label="Body" finding={BODIES[body]}>
          {difference && <BodyDifference difference={difference} />}
        </FindingFact>
        <FindingFact label="Signature" finding={describeSignature(diagnosis)} />
        {sent && (
          <Fact label="Delivery">
            <SiteLink to={itemPath('deliveries', sent.deliveryId)}>
              {tone === 'danger' ? 'View the closest delivery' : 'View the delivery'}
            </SiteLink>
          </Fact>
        )}
      </Facts>
    </section>
  )
}

type FindingFactProps = { label: string; finding: Finding | null; children?: Child }

function FindingFact({ label, finding, children }: FindingFactProps) {
  if (!finding) return null
  const { tone = 'danger', name, text } = finding
  return (
    <Fact label={label}>
      <Badge tone={tone} text={name} /> <span class="below">{text}</span>
      {children}
    </Fact>
  )
}
