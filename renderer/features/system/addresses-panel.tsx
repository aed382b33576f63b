import { Alert, Button, Modal, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ConnectionInfo } from '../../data/system.ts'
import { addressKinds } from '../../domain/system/address-kinds.ts'
import { linkWarning } from '../../domain/system/link-warning.ts'
import { useMe } from '../../lib/session.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PublicAddressForm } from './public-address-form.tsx'

type Props = Pick<ConnectionInfo, 'addresses' | 'publicAddress'>

export function AddressesPanel({ addresses, publicAddress }: Props) {
  const { isPlatformAdmin } = useMe()
  const warning = linkWarning(publicAddress.url)
  const isOpen = isPlatformAdmin && publicAddress.source !== 'environment'
  return (
    <Panel
      title="Addresses"
      anchor="addresses"
      actions={isOpen && <ChangeButton addresses={addresses} publicAddress={publicAddress} />}
    >
      <Facts>
        {addresses.map(({ url, kind }) => (
          <Fact key={url} name={sentence(addressKinds[kind])}>
            <Copyable text={url} label={`Copy ${url}`} />
          </Fact>
        ))}
      </Facts>
      <Text size="sm" c="dimmed" mt="sm">
        Links in email and single sign-on use {publicAddress.url}. {reasons[publicAddress.source]}
      </Text>
      <Text size="sm" c="dimmed" mt="xs">
        New agents connect to {publicAddress.url}, unless another of these addresses is chosen under “Add a device”.
        Agents that are already enrolled keep the address they have.
      </Text>
      {warning && (
        <Alert color="yellow" variant="light" p="sm" mt="sm">
          {warning} {isOpen && 'Choose a public address that they can open.'}
        </Alert>
      )}
    </Panel>
  )
}

const reasons: Record<ConnectionInfo['publicAddress']['source'], string> = {
  environment: 'It’s set by PUBLIC_URL.',
  stored: 'It’s saved here, and can be changed at any time.',
  automatic: 'It’s chosen automatically.',
}

function ChangeButton(props: Props) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        Change public address…
      </Button>
      <Modal opened={isOpen} onClose={closeUnlessUnsaved(close)} title="Public address">
        <PublicAddressForm {...props} onDone={close} />
      </Modal>
    </>
  )
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
