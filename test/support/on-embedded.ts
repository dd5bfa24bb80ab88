import type { TestProject } from 'vitest/node'
import { provideStack } from './stack.ts'

export default (project: TestProject) => provideStack(project, null)
