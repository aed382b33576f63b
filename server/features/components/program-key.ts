import type { ComponentName } from '../../../shared/components.ts'
import type { ProgramFacts } from './program-facts.ts'

export interface ProgramKey {
  component: ComponentName
  version: string
  platform: string
}

/** A program that is complete, with its facts, in a folder of its own within a draft. */
export interface ReadyProgram extends ProgramKey {
  folder: string
  facts: ProgramFacts
}
