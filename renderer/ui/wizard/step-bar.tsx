import { Stepper, VisuallyHidden } from '@mantine/core'
import classes from './step-bar.module.css'

interface Props {
  label: string
  /** Names of the steps in order. */
  steps: readonly string[]
  /** Index of the current step. */
  active: number
}

/** Progress of a process with several steps. */
export function StepBar({ label, steps, active }: Props) {
  return (
    <Stepper
      active={active}
      size="xs"
      iconSize={26}
      wrap={false}
      allowNextStepsSelect={false}
      aria-label={label}
      classNames={{ separator: classes.separator, stepBody: classes.label }}
    >
      {steps.map((step, index) => (
        <Stepper.Step
          key={step}
          aria-current={index === active ? 'step' : undefined}
          label={
            <>
              {step}
              {index < active && <VisuallyHidden>, done</VisuallyHidden>}
            </>
          }
        />
      ))}
    </Stepper>
  )
}
