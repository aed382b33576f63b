import { Code } from '@mantine/core'
import type { Partner, SecurityPreview, SecuritySettings } from '../../../shared/api/partners.ts'
import type { Me } from '../../../shared/api/profile.ts'
import { changeOwnPartner, previewSecurityChange } from '../../data/partner.ts'
import { plural } from '../../lib/format.ts'
import { askToConfirm } from '../../ui/confirm.tsx'

/**
 * Saves after the user has confirmed who is affected; the server's refusals come before the question. Null if the
 * user went back.
 */
export async function saveSecurity(security: SecuritySettings, me: Me): Promise<Partner | null> {
  const preview = await previewSecurityChange(security)
  const isConfirmed = (await confirmFactors(preview, me)) && (await confirmAllowlist(preview))
  return isConfirmed ? changeOwnPartner.mutationFn({ settings: { security } }) : null
}

const people = (count: number) => plural(count, 'person', 'people')

/** A user who is the only one affected knows from the form. */
async function confirmFactors(preview: SecurityPreview, me: Me): Promise<boolean> {
  const { withoutFactor, namesWithoutFactor } = preview
  if (withoutFactor === 0 || (withoutFactor === 1 && !me.mfaEnabled)) return true
  return askToConfirm({
    title: `${people(withoutFactor)} without a second factor`,
    consequences: [
      'As soon as this is saved, they must set one up before doing anything else; invited people when they accept.',
      'The grace period doesn’t apply, and no email is sent: let them know yourself.',
      !me.mfaEnabled && 'You are one of them.',
      namesWithoutFactor.length > 0 && <Names preview={preview} />,
    ],
    confirm: 'Require it',
  })
}

function Names({ preview: { withoutFactor, namesWithoutFactor } }: { preview: SecurityPreview }) {
  const rest = withoutFactor - namesWithoutFactor.length
  const names = namesWithoutFactor.map(({ name, isInvited }) => (isInvited ? `${name} (invited)` : name))
  return <>Affected: {[...names, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')}.</>
}

async function confirmAllowlist({ shutOut, addresses, isCallerShutOut }: SecurityPreview): Promise<boolean> {
  if (shutOut === 0) return true
  const isAlone = isCallerShutOut && shutOut === 1
  return askToConfirm({
    title: `This list locks ${isAlone ? 'you' : people(shutOut)} out`,
    consequences: (
      <>
        {isAlone ? 'Your address is' : 'They are signed in from addresses that are'} not on it. Once it’s saved, nobody
        can work or sign in from there.{isCallerShutOut && !isAlone && ' You are one of them.'}
        <div>
          {addresses.map((address) => (
            <Code key={address} mr={6}>
              {address}
            </Code>
          ))}
        </div>
      </>
    ),
    confirm: 'Save anyway',
  })
}
