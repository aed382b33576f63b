import { Alert, Button, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { SsoProvider } from '../../../shared/api/sso-providers.ts'
import { changeProvider, readinessQuery } from '../../data/sso-providers.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { areMissingText, defaultRoleProblems, missingText } from './provider-labels.ts'

interface Props {
  provider: SsoProvider
  /** The name of the older provider that is offered instead. */
  older: string | undefined
}

/** What prevents users from signing in through the provider, now or once it is active. */
export function ReadinessProblems({ provider, older }: Props) {
  const missing = missingText(provider)
  return (
    <>
      {missing.length > 0 && <Problem>Nobody can sign in with it yet: {areMissingText(missing)}.</Problem>}
      {provider.orgId && provider.autoProvision && <RoleProblem provider={provider} />}
      {older && <Problem>{older} is on as well and older, so the sign-in page offers that one.</Problem>}
    </>
  )
}

/** The default role is granted by the user who chose it; if they may no longer, somebody else has to choose it. */
function RoleProblem({ provider: { id, name, defaultRoleId } }: { provider: SsoProvider }) {
  const trouble = useQuery(readinessQuery(id)).data?.defaultRoleProblem
  const answer = useMutation({ ...changeProvider(id), onError: notifyFailed(`${name} wasn’t changed`) })
  if (!trouble) return null
  return (
    <Problem>
      No new accounts are created. {defaultRoleProblems[trouble]}.
      {defaultRoleId && trouble !== 'default_role_missing' && (
        <Button
          size="compact-sm"
          variant="default"
          mt={6}
          display="block"
          loading={answer.isPending}
          onClick={() =>
            answer.mutate({ defaultRoleId }, { onSuccess: () => notifyDone('You now answer for the role') })
          }
        >
          Take responsibility for the role
        </Button>
      )}
    </Problem>
  )
}

const Problem = ({ children }: { children: ReactNode }) => (
  <Alert color="yellow" variant="light" p="sm">
    <Text size="sm" component="div">
      {children}
    </Text>
  </Alert>
)
