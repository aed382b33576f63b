import { Alert, Code, Text, Textarea } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Partner } from '../../../shared/api/partners.ts'
import { type AllowlistStatus, allowlistStatusQuery, changeOwnPartner } from '../../data/partner.ts'
import { ApiError } from '../../lib/api-error.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useMe } from '../../lib/session.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { SavePanel } from '../../ui/save-panel.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { parseAddressEntries, refusedEntries } from './address-entries.ts'
import { saveSecurity } from './save-security.tsx'
import { securityOf } from './settings.ts'

/** Addresses and networks that people may work from, one per line; an empty list allows all. */
export function AllowlistPanel({ partner, isEditable }: { partner: Partner; isEditable: boolean }) {
  const me = useMe()
  const status = useQuery(allowlistStatusQuery).data
  const stored = securityOf(partner).ipAllowlist ?? []
  const [text, setText] = useState(stored.join('\n'))
  const entries = parseAddressEntries(text)
  const save = useMutation({
    mutationFn: (ipAllowlist: string[]) => saveSecurity({ ipAllowlist }, me),
    onSuccess: async (saved) => {
      if (!saved) return
      const savedEntries = securityOf(saved).ipAllowlist ?? []
      setText(savedEntries.join('\n'))
      notifyDone(savedEntries.length === 0 ? 'People can work from anywhere' : 'Allowlist saved')
      await changeOwnPartner.onSuccess(saved)
    },
  })
  const refused = save.error instanceof ApiError ? refusedEntries(save.error.fieldErrors, save.variables ?? []) : null
  const isProxyMissing = save.error instanceof ApiError && save.error.code === 'proxy_trust_required'
  const isDirty = entries.join('\n') !== stored.join('\n')
  useUnsavedChanges(isDirty)
  const change = (next: string) => {
    setText(next)
    save.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(entries)
  }
  return (
    <SavePanel
      title="Allowed networks"
      onSubmit={submit}
      onDiscard={() => change(stored.join('\n'))}
      isEditable={isEditable}
      isDirty={isDirty}
      isPending={save.isPending}
    >
      {status && <Status status={status} isListEmpty={stored.length === 0} isRefused={isProxyMissing} />}
      {!refused && !isProxyMissing && <FormError error={save.error} />}
      <Textarea
        label="Allowed addresses and networks"
        description="One per line, for example 192.168.1.0/24 or 2001:db8::/32. Leave empty to allow every address."
        autosize
        minRows={4}
        maxRows={16}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        readOnly={!isEditable}
        value={text}
        error={refused && `Not an address or network: ${refused.join(', ')}`}
        onChange={(event) => change(event.currentTarget.value)}
      />
      {me.isPlatformAdmin && (
        <Text size="xs" c="dimmed">
          Platform administrators like you are always allowed.
        </Text>
      )}
    </SavePanel>
  )
}

interface StatusProps {
  status: AllowlistStatus
  isListEmpty: boolean
  /** The server refused the list for the reason that is shown here anyway. */
  isRefused: boolean
}

function Status({ status, isListEmpty, isRefused }: StatusProps) {
  return (
    <>
      <Facts>
        <Fact name="Your address">{status.currentIp ?? 'Unknown'}</Fact>
        <Fact name="Allowlist">
          {isListEmpty ? (
            <StatusDot tone="idle">Empty</StatusDot>
          ) : status.active ? (
            <StatusDot tone="good">Active</StatusDot>
          ) : (
            <StatusDot tone="warn">Inactive</StatusDot>
          )}
        </Fact>
      </Facts>
      {(isRefused || !status.proxyTrustOk) && (
        <Alert
          key={String(isRefused)}
          color={isRefused ? 'red' : isListEmpty ? 'gray' : 'yellow'}
          variant="light"
          p="sm"
          {...(isRefused && { role: 'alert' })}
        >
          <Text size="sm">
            {isRefused && <b>Not saved. </b>}
            The appliance can’t reliably tell where requests come from. An allowlist needs a proxy in front of the
            appliance, with <Code>TRUST_PROXY_HEADERS=true</Code> and the proxy’s address in{' '}
            <Code>TRUSTED_PROXY_CIDRS</Code>, and this page opened through that proxy.
          </Text>
        </Alert>
      )}
      {!status.enforced && !isListEmpty && (
        <Alert color="yellow" variant="light" p="sm">
          <Text size="sm">
            <Code>IP_ALLOWLIST_ENFORCEMENT_MODE=off</Code> on the appliance turns all allowlists off.
          </Text>
        </Alert>
      )}
    </>
  )
}
