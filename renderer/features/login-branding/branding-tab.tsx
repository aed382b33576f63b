import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { loginBrandingQuery } from '../../data/login-branding.ts'
import { publicConfigQuery } from '../../lib/session.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { BrandingForm } from './branding-form.tsx'

/** Branding of the sign-in page. */
export function BrandingTab({ isEditable }: { isEditable: boolean }) {
  const branding = useQuery(loginBrandingQuery)
  return (
    <>
      <WhileAlone />
      <Loaded of={branding}>{(saved) => <BrandingForm branding={saved} isEditable={isEditable} />}</Loaded>
    </>
  )
}

function WhileAlone() {
  const isOpen = useQuery(publicConfigQuery).data?.registration.enabled
  return (
    <Text size="sm" c="dimmed" mb="md" maw={760}>
      All of this is shown while yours is the only company on this appliance. As soon as there is a second one,
      everybody sees the plain sign-in page with Homeport's own logo.
      {isOpen && ' Anybody may register one now: ENABLE_REGISTRATION=false, set on the appliance, stops that.'}
    </Text>
  )
}
