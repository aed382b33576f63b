import type { Purge } from './purge.ts'
import type { PurgeWarnings } from './purge-warnings.ts'
import { type SweepStep, sweepStep } from './sweep.ts'

/** After those that end drains. */
export const purgeSteps = (warnings: PurgeWarnings, purge: Purge): SweepStep[] => [
  sweepStep({ name: 'warn-of-purge', due: () => warnings.due(), run: (org) => warnings.send(org) }),
  sweepStep({ name: 'purge', due: () => purge.due(), run: (org) => purge.begin(org) }),
  sweepStep({ name: 'recover-purge', due: () => purge.stranded(), run: (org) => purge.recover(org) }),
]
