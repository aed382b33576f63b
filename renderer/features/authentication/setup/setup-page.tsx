import { Stack } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { organizationTreeQuery } from '../../../data/organizations.ts'
import { completeSetup } from '../../../data/setup.ts'
import { StandaloneFrame } from '../../../domain/login-branding/standalone-frame.tsx'
import { api } from '../../../lib/api.ts'
import { meQuery } from '../../../lib/session.ts'
import { useTabTitle } from '../../../lib/use-tab-title.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { LoadFailed, SkeletonLines } from '../../../ui/states.tsx'
import { Wizard } from '../../../ui/wizard/wizard.tsx'
import { AccountStep } from './account-step.tsx'
import { DeviceStep } from './device-step.tsx'
import { FactorStep } from './factor-step.tsx'
import { OrganizationStep } from './organization-step.tsx'

type Step = 'account' | 'organization' | 'factor' | 'device'

/** First run. The step follows from what exists on the appliance, so a reload continues where it was. */
export function SetupPage({ addDevice }: { addDevice: ReactNode }) {
  useTabTitle('Set up')
  const { step: requestedStep } = useSearch({ from: '/setup' })
  const navigate = useNavigate()
  const me = useQuery({ ...meQuery, enabled: api.isSignedIn() })
  const organizations = useQuery({ ...organizationTreeQuery, enabled: Boolean(me.data) })
  const goTo = (step: Exclude<Step, 'account'>) => navigate({ to: '/setup', search: { step } })

  const step = stepFor(me.isSuccess, organizations.data?.length ?? 0, requestedStep)

  const finish = useMutation({
    ...completeSetup,
    onSuccess: async () => {
      await completeSetup.onSuccess()
      await navigate({ to: '/' })
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
  const contentOf = (content: ReactNode) => (
    <Stack gap="lg">
      <FormError error={finish.error} />
      {isLoading ? <SkeletonLines count={4} /> : content}
    </Stack>
  )
  return (
    <StandaloneFrame width={step === 'device' ? 760 : 560}>
      <Wizard
        label="Setup progress"
        order={1}
        current={step}
        steps={[
          {
            name: 'account',
            label: 'Account',
            title: 'Welcome',
            about: 'This appliance is new. Create its first administrator.',
            content: contentOf(<AccountStep onDone={() => goTo('organization')} />),
          },
          {
            name: 'organization',
            label: 'Organization',
            title: 'Your first organization',
            about: 'Each device belongs to an organization and to one of its sites.',
            content: contentOf(<OrganizationStep onDone={() => goTo('factor')} />),
          },
          {
            name: 'factor',
            label: 'Security',
            title: 'Protect your account',
            about: 'Two-factor authentication protects your account even if your password is stolen.',
            content: contentOf(<FactorStep onDone={() => goTo('device')} />),
          },
          {
            name: 'device',
            label: 'Device',
            title: 'Add a device',
            about: 'Run one command on a computer and watch it appear here.',
            content: contentOf(
              <DeviceStep addDevice={addDevice} onDone={() => finish.mutate()} isLeaving={finish.isPending} />,
            ),
          },
        ]}
      />
    </StandaloneFrame>
  )
}

function stepFor(isSignedIn: boolean, organizationCount: number, requestedStep: Step | undefined): Step {
  if (!isSignedIn) return 'account'
  if (requestedStep && requestedStep !== 'organization' && organizationCount > 0) return requestedStep
  return organizationCount > 0 && requestedStep !== 'organization' ? 'factor' : 'organization'
}
