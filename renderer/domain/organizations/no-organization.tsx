import { Stack, Text } from '@mantine/core'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { ButtonLink } from '../../ui/links.tsx'

interface Props {
  /** It stands in place of a field, beside the button of the form. */
  isInForm?: boolean
  children: string
}

/** In place of a form that needs an organization, where there is none. */
export function NoOrganization({ isInForm = false, children }: Props) {
  const mayAdd = can(useMe(), 'organizations:write')
  return (
    <Stack align="flex-start" gap={isInForm ? 'xs' : 'md'}>
      <Text size="sm">
        {children}
        {!mayAdd && ' Ask someone who can create organizations.'}
      </Text>
      {mayAdd && (
        <ButtonLink
          to="/organizations"
          search={{ create: 'organization' }}
          {...(isInForm ? { variant: 'default', size: 'xs' } : { 'data-autofocus': true })}
        >
          Create organization
        </ButtonLink>
      )}
    </Stack>
  )
}
