import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ssoTrustQuery } from '../../../data/sso-trust.ts'
import { desktop } from '../../../lib/desktop.ts'
import { useMe } from '../../../lib/session.ts'
import { Loaded } from '../../../ui/loaded.tsx'
import { EditTrustFile } from './edit-trust-file.tsx'
import { TrustEditor } from './trust-editor.tsx'
import { TrustFrame } from './trust-frame.tsx'
import { TrustedHosts } from './trusted-hosts.tsx'

/** Hosts of the local network that single sign-on may reach: edited in the desktop app, shown everywhere else. */
export const TrustPanel = () => (desktop ? <TrustEditor desktop={desktop} /> : <TrustShown />)

function TrustShown() {
  const isOperator = useMe().scope === 'system'
  const trust = useQuery({ ...ssoTrustQuery, enabled: isOperator })
  return (
    <TrustFrame>
      {isOperator && (
        <Loaded of={trust} lines={2}>
          {(found) => (
            <>
              {found.error && (
                <Text size="sm" c="red" mb="sm">
                  None of it is used. {found.error}.
                </Text>
              )}
              <TrustedHosts trust={found} />
            </>
          )}
        </Loaded>
      )}
      <EditTrustFile file={trust.data?.file ?? null} isFixed={trust.data?.source === 'environment'} />
    </TrustFrame>
  )
}
