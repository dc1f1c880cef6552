declare module 'openapi-explorer'
