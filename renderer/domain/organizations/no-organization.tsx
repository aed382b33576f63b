import { Stack, Text } from '@mantine/core'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { ButtonLink } from '../../ui/links.tsx'

/** In place of a form that needs an organization, where there is none. */
export function NoOrganization({ children }: { children: string }) {
  const mayAdd = can(useMe(), 'organizations:write')
  return (
    <Stack align="flex-start">
      <Text size="sm">
        {children}
        {!mayAdd && ' Ask someone who can create organizations.'}
      </Text>
      {mayAdd && (
        <ButtonLink to="/organizations" search={{ create: 'organization' }} data-autofocus>
          Create organization
        </ButtonLink>
      )}
    </Stack>
  )
}
