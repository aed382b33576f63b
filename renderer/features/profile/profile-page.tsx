import { Button, Group, Modal, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMe } from '../../lib/session.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { ThemeSwitch } from '../../ui/theme-switch.tsx'
import { accountQuery, factorChanged } from '../mfa/data.ts'
import { EnrollFactor } from '../mfa/enroll-factor.tsx'

const factorWords = { totp: 'Authenticator app', sms: 'Text message', passkey: 'Passkey' }

export function ProfilePage() {
  const me = useMe()
  const account = useQuery(accountQuery).data
  return (
    <>
      <PageHeader title="Your profile" />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Panel title="Account">
          <Facts>
            <Fact name="Name">{me.name}</Fact>
            <Fact name="E-mail">{me.email}</Fact>
            <Fact name="Company">{me.partnerName}</Fact>
            <Fact name="Last sign-in">
              <RelativeTime at={account?.lastLoginAt ?? me.lastLoginAt} />
            </Fact>
            <Fact name="Member since">
              <RelativeTime at={me.createdAt} />
            </Fact>
          </Facts>
        </Panel>
        <Stack>
          <SecondFactor isOn={me.mfaEnabled} method={me.mfaMethod ? factorWords[me.mfaMethod] : null} />
          <Panel title="Colours">
            <ThemeSwitch />
          </Panel>
        </Stack>
      </SimpleGrid>
    </>
  )
}

function SecondFactor({ isOn, method }: { isOn: boolean; method: string | null }) {
  const [isEnrolling, setEnrolling] = useState(false)
  const close = async () => {
    setEnrolling(false)
    await factorChanged()
  }
  return (
    <Panel title="Second factor">
      <Group justify="space-between">
        <Text size="sm" component="div">
          <StatusDot tone={isOn ? 'good' : 'warn'}>{isOn ? `On: ${method ?? 'enabled'}` : 'Off'}</StatusDot>
        </Text>
        {!isOn && (
          <Button variant="default" size="xs" onClick={() => setEnrolling(true)}>
            Set up a second factor
          </Button>
        )}
      </Group>
      <Text size="sm" c="dimmed" mt="xs">
        {isOn
          ? 'Signing in asks for your password and a code.'
          : 'A second factor keeps others out even when your password leaks.'}
      </Text>
      <Modal opened={isEnrolling} onClose={close} title="Second factor" size="lg" closeOnClickOutside={false}>
        <EnrollFactor onDone={close} />
      </Modal>
    </Panel>
  )
}
