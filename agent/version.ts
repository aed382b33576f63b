/** The device has only the bundled file, so the version cannot be read from package.json; a test keeps the two equal. */
export const agentVersion = '0.1.0'
