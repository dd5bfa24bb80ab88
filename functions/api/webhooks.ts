/** `POST /webhooks/test`. */
import { claimAttempt } from '../../src/webhooks/deliver.ts'
import { insertTest } from '../../src/webhooks/event.ts'
import { failure, internal, json, text, unauthorized } from '../http/answers.ts'
import { apiKey } from '../http/api-key.ts'
import { createApp, createRoute, named, z } from '../http/openapi.ts'

export const webhooks = createApp()

const TestResult = z.object({
  ok: z.boolean(),
  status: z.int().openapi({ description: "The receiver's status, 0 when there was none" }),
  delivered: z.boolean(),
})

const testWebhook = createRoute({
  method: 'post',
  path: '/webhooks/test',
  operationId: 'testWebhook',
  summary: "Send a webhook.test event to the site's webhook",
  description: 'Goes the way of every event: signed, sent once, logged.',
  security: [{ apiKey: [] }],
  middleware: apiKey(),
  responses: {
    200: json(named('WebhookTestResult', TestResult), 'What came of the delivery', {
      'Cache-Control': text('The result is not kept', 'no-store'),
    }),
    400: failure('No webhook URL is configured'),
    ...unauthorized,
    ...internal,
  },
})

webhooks.openapi(testWebhook, async (c) => {
  const ctx = c.get('ctx')
  const eventId = await insertTest(ctx, c.get('grant').site)
  const attempt = await claimAttempt(ctx, eventId)
  const outcome = await attempt?.post()
  const delivered = outcome !== undefined && outcome.error === null
  c.header('Cache-Control', 'no-store')
  return c.json({ ok: delivered, status: outcome?.status ?? 0, delivered }, 200)
})
