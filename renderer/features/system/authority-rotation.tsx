import { Button, Progress, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ConnectionInfo, rotateAuthority } from '../../data/system.ts'
import { count, plural } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useMe } from '../../lib/session.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Deadline } from './deadline.tsx'
import { Fingerprint } from './fingerprint.tsx'

/** The next certificate authority being distributed to the devices, or the button to create one. */
export function AuthorityRotation({ rotation }: { rotation: ConnectionInfo['caRotation'] }) {
  const me = useMe()
  return (
    <>
      <Title order={3} size="h6" mt="lg" mb={4}>
        Rotation
      </Title>
      {rotation ? <Staged rotation={rotation} /> : <Idle mayRotate={me.isPlatformAdmin} />}
    </>
  )
}

function Staged({ rotation }: { rotation: NonNullable<ConnectionInfo['caRotation']> }) {
  const { confirmedDevices: known, totalDevices: total } = rotation
  return (
    <>
      <Text size="sm" mb="xs">
        The next authority is ready and takes over automatically. After that, install it wherever the current one is
        installed.
      </Text>
      <Facts>
        <Fact name="Next fingerprint">
          <Fingerprint hex={rotation.nextFingerprint} label="Copy next fingerprint" />
        </Fact>
        <Fact name="Takes over">
          <Deadline at={rotation.switchAt} />
        </Fact>
        <Fact name="Known to">
          {total === 0 ? 'No devices yet' : `${count(known)} of ${plural(total, 'device')}`}
          {total > 0 && (
            <Progress
              value={(known / total) * 100}
              size="sm"
              mt={6}
              aria-label="Devices that know the next authority"
            />
          )}
        </Fact>
      </Facts>
      {known < total && (
        <Text size="xs" c="dimmed" mt="xs">
          Devices receive it with their heartbeats. Devices that are off until the switch have to enroll again.
        </Text>
      )}
    </>
  )
}

function Idle({ mayRotate }: { mayRotate: boolean }) {
  const rotate = useMutation(rotateAuthority)
  const confirm = async () => {
    const isRotated = await askToConfirm({
      title: 'Rotate the certificate authority?',
      consequences: [
        'Homeport creates the next authority now. Devices receive it with their heartbeats.',
        'It takes over automatically in two weeks; the date is shown here. Nothing changes until then.',
        'Devices that are off the whole time have to enroll again.',
        'Browsers show the warning again after the switch, until the next authority is installed.',
      ],
      confirm: 'Rotate authority',
      run: () => rotate.mutateAsync(),
      failed: 'The authority wasn’t rotated',
    })
    if (isRotated) notifyDone('The next authority is being sent to the devices')
  }
  return (
    <>
      <Text size="sm" mb={mayRotate ? 'sm' : 0}>
        Homeport creates the next authority automatically, half a year before this one expires. Rotate it now if its key
        may be compromised.
      </Text>
      {mayRotate && (
        <Button variant="default" loading={rotate.isPending} onClick={confirm}>
          Rotate certificate authority
        </Button>
      )}
    </>
  )
}
