import { Accordion, Checkbox, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ApiKeyScope } from '../../../shared/api/api-keys.ts'
import { useMe } from '../../lib/session.ts'
import {
  holderOf,
  idleScopes,
  scopeDescription,
  scopeName,
  scopeUnavailableReason,
  usableScopes,
} from './scope-labels.ts'

interface Props {
  value?: ApiKeyScope[]
  error?: ReactNode
  onChange: (scopes: ApiKeyScope[]) => void
}

/** Scopes of a key; those that the user lacks are shown with the reason. */
export function ScopeField({ value = [], error, onChange }: Props) {
  const hasIdle = idleScopes.some((scope) => value.includes(scope))
  return (
    <Checkbox.Group
      label="Access"
      description="Choose as little as the program needs."
      value={value}
      error={error}
      onChange={(scopes) => onChange(scopes as ApiKeyScope[])}
    >
      <Stack gap="sm" mt="xs">
        {usableScopes.map(({ name, scopes }) => (
          <Stack key={name} gap={6} role="group" aria-label={name}>
            <Text size="xs" fw={600} c="dimmed">
              {name}
            </Text>
            {scopes.map((scope) => (
              <ScopeCheck key={scope} scope={scope} />
            ))}
          </Stack>
        ))}
        <Accordion defaultValue={hasIdle ? 'idle' : null} variant="default" chevronPosition="left">
          <Accordion.Item value="idle">
            <Accordion.Control>
              <Text size="sm">For what is still to come</Text>
            </Accordion.Control>
            <Accordion.Panel>
              <Stack gap={6}>
                <Text size="xs" c="dimmed">
                  Nothing is open to keys by these yet. What you choose here works from the version on that has it.
                </Text>
                {idleScopes.map((scope) => (
                  <ScopeCheck key={scope} scope={scope} />
                ))}
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
      </Stack>
    </Checkbox.Group>
  )
}

function ScopeCheck({ scope }: { scope: ApiKeyScope }) {
  const refusal = scopeUnavailableReason(scope, holderOf(useMe()))
  return (
    <Checkbox
      size="sm"
      value={scope}
      label={scopeName(scope)}
      description={refusal ?? scopeDescription(scope)}
      disabled={refusal !== undefined}
    />
  )
}
