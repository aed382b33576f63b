import { Badge, Group, List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Role, roleHoldersQuery } from '../../data/roles.ts'
import { RoleLink } from '../../domain/roles/role-link.tsx'
import { holderPage, holdersPage } from '../../domain/roles/role-pages.ts'
import { ButtonLink, TextLink } from '../../ui/links.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

/** More are listed on the page of people. */
const maxListed = 50

const states = { active: null, invited: 'Invited', disabled: 'Disabled' } as const

/** People with a role, and roles that inherit from it. */
export function RoleHolders({ role, roles }: { role: Role; roles: readonly Role[] }) {
  const holders = useQuery(roleHoldersQuery(role))
  const heirs = roles.filter(({ parentRoleId }) => parentRoleId === role.id)
  return (
    <Stack>
      <Listed of={holders} lines={3} empty="Nobody has this role. Assign it on a person’s page.">
        {(people) => (
          <Stack gap="sm">
            <List listStyleType="none" spacing="xs">
              {people.slice(0, maxListed).map(({ id, name, email, status, lastLoginAt }) => (
                <List.Item key={id}>
                  <Group gap="xs">
                    <TextLink {...holderPage(role, id)} size="sm">
                      {name}
                    </TextLink>
                    {states[status] && (
                      <Badge variant="default" size="sm">
                        {states[status]}
                      </Badge>
                    )}
                  </Group>
                  <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                    {email} · last sign-in <RelativeTime at={lastLoginAt} never="never" />
                  </Text>
                </List.Item>
              ))}
            </List>
            <div>
              <ButtonLink variant="default" size="xs" {...holdersPage(role)}>
                {people.length > maxListed ? `All ${people.length} in People` : 'Show in People'}
              </ButtonLink>
            </div>
          </Stack>
        )}
      </Listed>
      {heirs.length > 0 && (
        <Stack gap={4}>
          <Text size="sm">Roles that inherit from it:</Text>
          <RoleList roles={heirs} />
        </Stack>
      )}
    </Stack>
  )
}

export function RoleList({ roles }: { roles: readonly Role[] }) {
  return (
    <List size="sm">
      {roles.map((role) => (
        <List.Item key={role.id}>
          <RoleLink role={role} />
          {role.orgName && ` of ${role.orgName}`}
        </List.Item>
      ))}
    </List>
  )
}
