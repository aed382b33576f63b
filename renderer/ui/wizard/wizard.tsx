import { Box, Stack, Text, Title, type TitleOrder } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFocusOnAppear } from '../../lib/use-focus-on-appear.ts'
import { StepBar } from './step-bar.tsx'

export interface WizardStep<Name extends string> {
  name: Name
  /** In the bar. */
  label: string
  /** Heading of the step. */
  title: string
  about?: string
  content: ReactNode
}

interface Props<Name extends string> {
  /** Of the bar, for screen readers. */
  label: string
  steps: readonly WizardStep<Name>[]
  current: Name
  /** Level of the heading on the page. */
  order: TitleOrder
}

/**
 * Several steps one after the other: what is done, the current one under its heading. The focus moves to the heading
 * when the step changes. What people enter belongs in state above the wizard, so that going back loses nothing.
 */
export function Wizard<Name extends string>({ label, steps, current, order }: Props<Name>) {
  const heading = useFocusOnAppear<HTMLHeadingElement>(current)
  const active = steps.findIndex(({ name }) => name === current)
  const step = steps[active]
  return (
    <Stack gap="lg">
      <Box maw={680}>
        <StepBar label={label} steps={steps.map((one) => one.label)} active={active} />
      </Box>
      <div>
        <Title order={order} size={order === 1 ? 'h3' : 'h4'} ref={heading} tabIndex={-1}>
          {step?.title}
        </Title>
        {step?.about && (
          <Text size="sm" c="dimmed">
            {step.about}
          </Text>
        )}
      </div>
      {step?.content}
    </Stack>
  )
}
