import * as z from 'zod/mini'
import { responseSchema } from '../../core/zod.ts'
import { listedShapes, readOnlyShapes } from '../articles/field-table.ts'
import { GUIDE_FIELDS } from './fields.ts'
import { GuideInput } from './guide.ts'

export const ListedGuide = /* @__PURE__ */ responseSchema(() =>
  z
    .object({ id: z.uuid(), ...listedShapes(GUIDE_FIELDS), updatedAt: z.iso.datetime() })
    .register(z.globalRegistry, { id: 'ListedGuide' }),
)

export const StoredGuide = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      id: z.uuid(),
      updatedAt: z.iso.datetime(),
      ...readOnlyShapes(GUIDE_FIELDS),
      guide: GuideInput.check(
        z.meta({ id: 'GuideBody', description: 'The body that puts the same guide again' }),
      ),
    })
    .register(z.globalRegistry, { id: 'StoredGuide' }),
)
