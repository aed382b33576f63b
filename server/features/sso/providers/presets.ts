import type { SsoPreset } from '../../../../shared/api/sso-providers.ts'

/** Common identity providers, with initial values for the form that sets one up. */

const claims = { email: 'email', name: 'name', firstName: 'given_name', lastName: 'family_name' }
const scopes = 'openid profile email'

const openId: SsoPreset[] = [
  {
    id: 'azure-ad',
    name: 'Microsoft Azure AD',
    type: 'oidc',
    issuerTemplate: 'https://login.microsoftonline.com/{tenant}/v2.0',
    scopes,
    attributeMapping: claims,
  },
  {
    id: 'okta',
    name: 'Okta',
    type: 'oidc',
    issuerTemplate: 'https://{domain}.okta.com',
    scopes: `${scopes} groups`,
    attributeMapping: { ...claims, groups: 'groups' },
  },
  {
    id: 'google',
    name: 'Google Workspace',
    type: 'oidc',
    issuerTemplate: 'https://accounts.google.com',
    authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    userInfoUrl: 'https://openidconnect.googleapis.com/v1/userinfo',
    scopes,
    attributeMapping: claims,
  },
  {
    id: 'auth0',
    name: 'Auth0',
    type: 'oidc',
    issuerTemplate: 'https://{domain}.auth0.com',
    scopes,
    attributeMapping: claims,
  },
]

const soap = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
const soapClaims = {
  email: `${soap}/emailaddress`,
  name: `${soap}/name`,
  firstName: `${soap}/givenname`,
  lastName: `${soap}/surname`,
}

const saml: SsoPreset[] = [
  {
    id: 'azure-ad-saml',
    name: 'Microsoft Azure AD (SAML)',
    type: 'saml',
    scopes: '',
    ssoUrlTemplate: 'https://login.microsoftonline.com/{tenant}/saml2',
    metadataUrlTemplate: 'https://login.microsoftonline.com/{tenant}/federationmetadata/2007-06/federationmetadata.xml',
    attributeMapping: { ...soapClaims, groups: 'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups' },
    certificateInstructions:
      'Open the enterprise application, choose Single sign-on, and download Certificate (Base64).',
  },
  {
    id: 'okta-saml',
    name: 'Okta (SAML)',
    type: 'saml',
    scopes: '',
    ssoUrlTemplate: 'https://{domain}.okta.com/app/{appId}/sso/saml',
    metadataUrlTemplate: 'https://{domain}.okta.com/app/{appId}/sso/saml/metadata',
    attributeMapping: {
      email: 'email',
      name: 'name',
      firstName: 'firstName',
      lastName: 'lastName',
      groups: 'groups',
    },
    certificateInstructions: 'Open the application, choose Sign On, and download the active SAML signing certificate.',
  },
  {
    id: 'onelogin-saml',
    name: 'OneLogin (SAML)',
    type: 'saml',
    scopes: '',
    ssoUrlTemplate: 'https://{domain}.onelogin.com/trust/saml2/http-post/sso/{appId}',
    metadataUrlTemplate: 'https://{domain}.onelogin.com/saml/metadata/{appId}',
    attributeMapping: {
      email: 'User.email',
      name: 'User.FirstName',
      firstName: 'User.FirstName',
      lastName: 'User.LastName',
    },
    certificateInstructions: 'Open the application, choose SSO, and view the details of the X.509 certificate.',
  },
  {
    id: 'adfs-saml',
    name: 'Active Directory Federation Services (ADFS)',
    type: 'saml',
    scopes: '',
    ssoUrlTemplate: 'https://{adfs-server}/adfs/ls',
    metadataUrlTemplate: 'https://{adfs-server}/FederationMetadata/2007-06/FederationMetadata.xml',
    attributeMapping: { ...soapClaims, groups: 'http://schemas.xmlsoap.org/claims/Group' },
    certificateInstructions:
      'In AD FS Management choose Service, then Certificates, and export the token-signing certificate as Base-64.',
  },
  {
    id: 'google-saml',
    name: 'Google Workspace (SAML)',
    type: 'saml',
    scopes: '',
    ssoUrlTemplate: 'https://accounts.google.com/o/saml2/idp?idpid={idpId}',
    attributeMapping: { email: 'email', name: 'name', firstName: 'first_name', lastName: 'last_name' },
    certificateInstructions:
      'In the Admin console open the SAML app and download the certificate of the identity provider.',
  },
]

export const presets: readonly SsoPreset[] = [...openId, ...saml]

/** Ids that existing clients use. */
const aliases: Record<string, string> = { azure: 'azure-ad' }

/** Undefined for an unknown id, and for a preset of another type. */
export const findPreset = (id: string | undefined, type: SsoPreset['type']): SsoPreset | undefined =>
  id === undefined ? undefined : presets.find((preset) => preset.type === type && preset.id === (aliases[id] ?? id))

/** The issuer, where it is the same for all customers; null for a template that has to be filled in. */
export const issuerOf = (preset: SsoPreset | undefined): string | null =>
  preset?.issuerTemplate && !preset.issuerTemplate.includes('{') ? preset.issuerTemplate : null
