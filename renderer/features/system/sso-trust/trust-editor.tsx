import { Alert, Button, Modal } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { DesktopBridge, TrustFile } from '../../../../shared/bridge.ts'
import { saveTrustFile, type TrustChange, trustFileQuery } from '../../../data/sso-trust.ts'
import { notifyDone, notifyFailed } from '../../../lib/notify.ts'
import { Loaded } from '../../../ui/loaded.tsx'
import { RowMenu } from '../../../ui/row-menu.tsx'
import { TrustFrame } from './trust-frame.tsx'
import { TrustedHostForm } from './trusted-host-form.tsx'
import { TrustedHosts } from './trusted-hosts.tsx'

/** In the desktop window: the shell writes the file and restarts the server. */
export function TrustEditor({ desktop }: { desktop: DesktopBridge }) {
  const file = useTrustFile(desktop)
  const [open, setOpen] = useState<number | 'new' | null>(null)
  const close = () => setOpen(null)
  const save = useMutation({
    mutationFn: (change: TrustChange) => saveTrustFile(desktop, change),
    onSuccess: (isSaved) => {
      if (!isSaved) return
      close()
      notifyDone('Saved. The server is restarting.')
    },
  })
  const isEditable = !!file.data?.document
  return (
    <TrustFrame
      actions={
        isEditable && (
          <Button variant="default" size="xs" onClick={() => setOpen('new')}>
            Add one
          </Button>
        )
      }
    >
      <Loaded of={file} lines={2}>
        {(found) => (
          <>
            <WhyFixed file={found} />
            <TrustedHosts
              trust={found.trust}
              {...(isEditable && {
                menuFor: (index, { host }) => (
                  <RowMenu
                    name={host}
                    isBusy={save.isPending}
                    actions={[
                      { label: 'Change', Icon: IconPencil, onClick: () => setOpen(index) },
                      {
                        label: 'Remove',
                        Icon: IconTrash,
                        isDestructive: true,
                        onClick: () =>
                          save.mutate(without(found, index), { onError: notifyFailed('The list wasn’t changed') }),
                      },
                    ]}
                  />
                ),
              })}
            />
            <Modal
              opened={open !== null}
              onClose={close}
              title={open === 'new' ? 'Add an identity provider' : 'Change the identity provider'}
            >
              {open !== null && (
                <TrustedHostForm
                  desktop={desktop}
                  file={found}
                  index={open === 'new' ? null : open}
                  save={save.mutateAsync}
                />
              )}
            </Modal>
          </>
        )}
      </Loaded>
    </TrustFrame>
  )
}

/** Read again after each start of the server, which may use another file. */
function useTrustFile(desktop: DesktopBridge) {
  const client = useQueryClient()
  const { queryKey } = trustFileQuery(desktop)
  useEffect(
    () => desktop.onState(({ server }) => void (server === 'ready' && client.invalidateQueries({ queryKey }))),
    [desktop, client, queryKey],
  )
  return useQuery(trustFileQuery(desktop))
}

const without = (file: TrustFile, index: number): TrustChange => ({
  file,
  hosts: file.document?.hosts.filter((_, at) => at !== index) ?? [],
})

function WhyFixed({ file: { trust, document } }: { file: TrustFile }) {
  if (document) return null
  return (
    <Alert color={trust.error ? 'red' : 'gray'} variant="light" p="sm" mb="sm">
      {trust.source === 'environment'
        ? 'The list is set in SSO_TRUST_JSON on the appliance and can only be changed there.'
        : `Fix ${trust.file} manually, then restart the server. ${trust.error ?? ''}`}
    </Alert>
  )
}
