import { Checkbox, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ApiKeyScope } from '../../../shared/api/api-keys.ts'
import { isGrantable } from '../../../shared/api/in-use.ts'
import { useMe } from '../../lib/session.ts'
import { grantableAreas, holderOf, scopeDescription, scopeName, scopeUnavailableReason } from './scope-labels.ts'

interface Props {
  /** What the key has before any change. */
  held?: readonly ApiKeyScope[]
  value?: ApiKeyScope[]
  error?: ReactNode
  onChange: (scopes: ApiKeyScope[]) => void
}

/** Scopes of a key; those that the user lacks are shown with the reason. */
export function ScopeField({ held = [], value = [], error, onChange }: Props) {
  const unused = held.filter((scope) => !isGrantable(scope))
  return (
    <Checkbox.Group
      label="Access"
      description="Choose as little as the program needs."
      value={value}
      error={error}
      onChange={(scopes) => onChange(scopes as ApiKeyScope[])}
    >
      <Stack gap="sm" mt="xs">
        {grantableAreas.map(({ name, scopes }) => (
          <Stack key={name} gap={6} role="group" aria-label={name}>
            <Text size="xs" fw={600} c="dimmed">
              {name}
            </Text>
            {scopes.map((scope) => (
              <ScopeCheck key={scope} scope={scope} />
            ))}
          </Stack>
        ))}
        {unused.length > 0 && (
          <Stack gap={6} role="group" aria-label="Not used yet">
            <Text size="xs" fw={600} c="dimmed">
              Not used yet
            </Text>
            <Text size="xs" c="dimmed">
              No part of Homeport asks for these. Once removed, they can’t be granted again.
            </Text>
            {unused.map((scope) => (
              <ScopeCheck key={scope} scope={scope} />
            ))}
          </Stack>
        )}
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
