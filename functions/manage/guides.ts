/** `/sites/{siteId}/guides`. */
import * as z from 'zod'
import { deleteGuide, GuideInput, putGuides, setGuideStatus } from '../../src/guides.ts'
import { type Articles, articleOperations, articleRoutes, MAX_BULK } from './articles.ts'

const GUIDES: Articles<GuideInput> = {
  noun: 'guide',
  One: GuideInput.partial({ slug: true }),
  Many: z
    .strictObject({ guides: z.array(GuideInput).min(1).max(MAX_BULK) })
    .transform(({ guides }) => guides),
  put: putGuides,
  setStatus: setGuideStatus,
  remove: deleteGuide,
}

export const guides = articleRoutes(GUIDES)

export const guideOperations = () => articleOperations(GUIDES)
