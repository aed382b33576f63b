import { Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { organizationTreeQuery } from '../../../data/organizations.ts'
import { completeSetup } from '../../../data/setup.ts'
import { StandaloneFrame } from '../../../domain/login-branding/standalone-frame.tsx'
import { api } from '../../../lib/api.ts'
import { meQuery } from '../../../lib/session.ts'
import { useFocusOnAppear } from '../../../lib/use-focus-on-appear.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { LoadFailed, SkeletonLines } from '../../../ui/states.tsx'
import { StepBar } from '../../../ui/step-bar.tsx'
import { AccountStep } from './account-step.tsx'
import { DeviceStep } from './device-step.tsx'
import { FactorStep } from './factor-step.tsx'
import { OrganizationStep } from './organization-step.tsx'

const titles = {
  account: ['Welcome', 'This appliance is new. Create its first administrator.'],
  organization: ['Your first organization', 'Devices belong to an organization and stand at one of its sites.'],
  factor: ['Protect your account', 'A second factor keeps others out even when your password leaks.'],
  device: ['Add a device', 'Run one line on a machine and watch it appear here.'],
} as const
const steps = ['account', 'organization', 'factor', 'device'] as const
type Step = (typeof steps)[number]

/** First run. The step follows from what exists on the appliance, so a reload continues where it was. */
export function SetupPage({ addDevice }: { addDevice: ReactNode }) {
  useDocumentTitle('Set up · Homeport')
  const { step: requestedStep } = useSearch({ from: '/setup' })
  const navigate = useNavigate()
  const me = useQuery({ ...meQuery, enabled: api.isSignedIn() })
  const organizations = useQuery({ ...organizationTreeQuery, enabled: Boolean(me.data) })
  const goTo = (step: Exclude<Step, 'account'>) => navigate({ to: '/setup', search: { step } })

  const step = stepFor(me.isSuccess, organizations.data?.length ?? 0, requestedStep)
  const heading = useFocusOnAppear<HTMLHeadingElement>(step)

  const finish = useMutation({
    ...completeSetup,
    onSuccess: async () => {
      await completeSetup.onSuccess()
      await navigate({ to: '/devices' })
    },
  })

  if (me.error || organizations.error) {
    return (
      <StandaloneFrame>
        <LoadFailed
          error={me.error ?? organizations.error}
          onRetry={() => Promise.all([me.refetch(), organizations.refetch()])}
        />
      </StandaloneFrame>
    )
  }
  const isLoading = api.isSignedIn() && !organizations.data
  const [title, about] = titles[step]
  return (
    <StandaloneFrame width={step === 'device' ? 760 : 560}>
      <Stack gap="lg">
        <StepBar
          label="Progress of the set-up"
          steps={['Account', 'Organization', 'Security', 'Device']}
          active={steps.indexOf(step)}
        />
        <div>
          <Title order={1} size="h3" ref={heading} tabIndex={-1}>
            {title}
          </Title>
          <Text size="sm" c="dimmed">
            {about}
          </Text>
        </div>
        <FormError error={finish.error} />
        {isLoading && <SkeletonLines count={4} />}
        {!isLoading && step === 'account' && <AccountStep onDone={() => goTo('organization')} />}
        {!isLoading && step === 'organization' && <OrganizationStep onDone={() => goTo('factor')} />}
        {!isLoading && step === 'factor' && <FactorStep onDone={() => goTo('device')} />}
        {!isLoading && step === 'device' && (
          <DeviceStep addDevice={addDevice} onDone={() => finish.mutate()} isLeaving={finish.isPending} />
        )}
      </Stack>
    </StandaloneFrame>
  )
}

function stepFor(isSignedIn: boolean, organizationCount: number, requestedStep: Step | undefined): Step {
  if (!isSignedIn) return 'account'
  if (requestedStep && requestedStep !== 'organization' && organizationCount > 0) return requestedStep
  return organizationCount > 0 && requestedStep !== 'organization' ? 'factor' : 'organization'
}
