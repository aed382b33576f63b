import { useState } from 'react'

/** The current step of a wizard, and the ways to its neighbors. */
export function useWizardSteps<const Name extends string>(names: readonly [Name, ...Name[]]) {
  const [step, goTo] = useState<Name>(names[0])
  const neighbor = (distance: 1 | -1) => names[names.indexOf(step) + distance] ?? step
  return { step, goTo, back: () => goTo(neighbor(-1)), next: () => goTo(neighbor(1)) }
}
