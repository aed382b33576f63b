import { Stepper } from '@mantine/core'
import classes from './step-bar.module.css'

interface Props {
  label: string
  /** What the steps are called, in order. */
  steps: readonly string[]
  /** Which of them is under way, from 0. */
  active: number
}

/** How far somebody is in something that has several steps. */
export function StepBar({ label, steps, active }: Props) {
  return (
    <Stepper
      active={active}
      size="xs"
      iconSize={26}
      wrap={false}
      aria-label={label}
      classNames={{ separator: classes.separator, stepBody: classes.label }}
    >
      {steps.map((step) => (
        <Stepper.Step key={step} label={step} />
      ))}
    </Stepper>
  )
}
