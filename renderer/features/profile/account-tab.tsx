import { SimpleGrid, Stack } from '@mantine/core'
import { dateOnly } from '../../lib/format.ts'
import { useMe } from '../../lib/session.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmailPanel } from './email-panel.tsx'
import { InvitationsPanel } from './invitations-panel.tsx'
import { NameForm } from './name-form.tsx'
import { OwnMemberships } from './own-memberships.tsx'
import { PicturePanel } from './picture-panel.tsx'
import { PreferencesPanel } from './preferences-panel.tsx'

export function AccountTab() {
  const me = useMe()
  return (
    <Stack>
      <InvitationsPanel />
      <SimpleGrid cols={{ base: 1, md: 2 }} style={{ alignItems: 'start' }}>
        <Stack miw={0}>
          <Panel title="Name">
            <NameForm name={me.name} />
          </Panel>
          <PicturePanel me={me} />
          <EmailPanel me={me} />
        </Stack>
        <Stack miw={0}>
          <PreferencesPanel me={me} />
          <Panel title="Account">
            <Facts>
              <OwnMemberships />
              <Fact name="Last sign-in">
                <RelativeTime at={me.lastLoginAt} />
              </Fact>
              <Fact name="Member since">{dateOnly(me.createdAt)}</Fact>
            </Facts>
          </Panel>
        </Stack>
      </SimpleGrid>
    </Stack>
  )
}
